/** Writes drafted cases and their files; all of it, or nothing. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { codeOf, messageOf, UserError } from '../../base/error.ts'
import type { DraftedCases } from './draft_cases.ts'

export interface DraftPlace {
  /** The suite file, absolute; it is not there. */
  file: string
  /** The folder that input files are relative to. */
  root: string
  /** What the file says. */
  suite: object
}

/** Throws UserError where a file came to be there in the meantime, or can't be written; what was written is taken back. */
export async function writeDrafts({ file, root, suite }: DraftPlace, files: DraftedCases['files']): Promise<void> {
  const texts = [
    ...files.map(({ path: name, content }) => ({ target: path.join(root, name), text: content })),
    { target: file, text: `${JSON.stringify(suite, null, 2)}\n` },
  ]
  const written: string[] = []
  try {
    for (const { target, text } of texts) {
      await mkdir(path.dirname(target), { recursive: true })
      await writeFile(target, text, { flag: 'wx' })
      written.push(target)
    }
  } catch (error) {
    for (const target of written) await rm(target, { force: true })
    const why = codeOf(error) === 'EEXIST' ? 'a file of that name came to be there' : messageOf(error)
    throw new UserError(`${file}: ${why}; nothing was written`, 'give another place: --output FILE')
  }
}
