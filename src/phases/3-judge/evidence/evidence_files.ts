/** Lists the text files in which a run's evidence is searched: outputs, transcript, inputs. */
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { WalkedFile } from '../../../base/fs/files.ts'
import { withVisibleControls } from '../../../base/text/show_control_characters.ts'
import { Searchable } from './find_quote.ts'
import type { EvidenceFile } from './verify_evidence.ts'

export interface EvidenceSources {
  runFolder: string
  /** The case's prompt, which begins the transcript; a quote of it is not evidence. */
  prompt: string
  outputs: readonly WalkedFile[]
  inputs: readonly WalkedFile[]
}

/** Bytes; larger files are not read. */
const largest = 32 * 2 ** 20

/** Lists outputs first, because they are the best evidence about a file. Files are read on demand. */
export function evidenceFiles({ runFolder, prompt, outputs, inputs }: EvidenceSources): EvidenceFile[] {
  const of = (folder: string) => (file: WalkedFile) => lazy(`${folder}/${file.path}`, file.source, () => 0)
  const transcript = lazy('transcript.md', path.join(runFolder, 'transcript.md'), (text) => {
    const head = `## Eval Prompt\n\n${withVisibleControls(prompt)}\n`
    return text.startsWith(head) ? head.length : 0
  })
  return [...outputs.map(of('outputs')), transcript, ...inputs.map(of('inputs'))]
}

function lazy(name: string, source: string, from: (text: string) => number): EvidenceFile {
  let loaded: Searchable | null | undefined
  return {
    path: name,
    load: () => {
      if (loaded !== undefined) return loaded
      const text = readEvidenceText(source)
      loaded = text === null ? null : new Searchable(text, from(text))
      return loaded
    },
  }
}

function readEvidenceText(file: string): string | null {
  try {
    if (statSync(file).size > largest) return null
    const bytes = readFileSync(file)
    return bytes.subarray(0, 8192).includes(0) ? null : bytes.toString('utf8')
  } catch {
    return null // a file that has disappeared contains no evidence
  }
}
