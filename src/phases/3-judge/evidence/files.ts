/** The text files in which a run's evidence is looked up: what the agent made, what it said, what it was given. */
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { WalkedFile } from '../../../base/files.ts'
import { Searchable } from './find.ts'
import type { EvidenceFile } from './verify.ts'

export interface EvidenceSources {
  runFolder: string
  /** The case's prompt, which opens the transcript: a quote of it is no evidence. */
  prompt: string
  outputs: readonly WalkedFile[]
  inputs: readonly WalkedFile[]
}

/** Bytes of a file, beyond which it is not read. */
const largest = 32 * 2 ** 20

/** Outputs come first: a statement about a file is best seen in the file. Nothing is read yet. */
export function evidenceFiles({ runFolder, prompt, outputs, inputs }: EvidenceSources): EvidenceFile[] {
  const of = (folder: string) => (file: WalkedFile) => lazy(`${folder}/${file.path}`, file.source, () => 0)
  const transcript = lazy('transcript.md', path.join(runFolder, 'transcript.md'), (text) => {
    const head = `## Eval Prompt\n\n${prompt}\n`
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
      const text = textIn(source)
      loaded = text === null ? null : new Searchable(text, from(text))
      return loaded
    },
  }
}

function textIn(file: string): string | null {
  try {
    if (statSync(file).size > largest) return null
    const bytes = readFileSync(file)
    return bytes.subarray(0, 8192).includes(0) ? null : bytes.toString('utf8')
  } catch {
    return null // gone meanwhile: then nothing stands in it
  }
}
