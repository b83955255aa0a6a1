/** Lists the text files in which a run's evidence is searched: outputs, transcript, inputs. */
import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { WalkedFile } from '../../../base/fs/files.ts'
import { withVisibleControls } from '../../../base/text/show_control_characters.ts'
import { decodeText } from '../documents/decode_text.ts'
import { Searchable } from './find_quote.ts'
import type { EvidenceFile } from './verify_evidence.ts'

export interface EvidenceSources {
  runFolder: string
  /** The case's prompt, which begins the transcript; a quote of it is not evidence. */
  prompt: string
  outputs: readonly WalkedFile[]
  inputs: readonly WalkedFile[]
  /** Texts of documents, by their names (`outputs/…`, `inputs/…`). */
  texts: ReadonlyMap<string, string>
}

/** Bytes; larger files are not read. */
const largest = 32 * 2 ** 20

/** Lists outputs first, because they are the best evidence about a file. Files are read on demand. */
export function evidenceFiles({ runFolder, prompt, outputs, inputs, texts }: EvidenceSources): EvidenceFile[] {
  const of = (folder: string) => (file: WalkedFile) => {
    const name = `${folder}/${file.path}`
    return lazy(name, () => texts.get(name) ?? readEvidenceText(file.source))
  }
  const readTranscript = () => readEvidenceText(path.join(runFolder, 'transcript.md'))
  const transcript = lazy('transcript.md', readTranscript, (text) => {
    const head = `## Eval Prompt\n\n${withVisibleControls(prompt)}\n`
    return text.startsWith(head) ? head.length : 0
  })
  return [...outputs.map(of('outputs')), transcript, ...inputs.map(of('inputs'))]
}

function lazy(name: string, read: () => string | null, from: (text: string) => number = () => 0): EvidenceFile {
  let loaded: Searchable | null | undefined
  return {
    path: name,
    load: () => {
      if (loaded !== undefined) return loaded
      const text = read()
      loaded = text === null ? null : new Searchable(text, from(text))
      return loaded
    },
  }
}

function readEvidenceText(file: string): string | null {
  try {
    if (statSync(file).size > largest) return null
    const bytes = readFileSync(file)
    const hasZeros = bytes.subarray(0, 8192).includes(0)
    if (!hasZeros && isUtf8(bytes)) return bytes.toString('utf8') // with its byte order mark, so that offsets stay those of the file
    return decodeText(bytes) ?? (hasZeros ? null : bytes.toString('utf8'))
  } catch {
    return null // a file that has disappeared contains no evidence
  }
}
