/** Writes drafted cases and their files: all or nothing. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { errnoCode, errorMessage, UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import type { DraftedCases } from './draft_cases.ts'

export interface DraftPlace {
  /** The suite file, absolute; it must not exist. */
  file: string
  /** Input files are relative to this folder. */
  root: string
  /** The file's content. */
  suite: object
}

/** Throws UserError if a file has appeared since or can't be written; then removes what it wrote. */
export async function writeDrafts({ file, root, suite }: DraftPlace, files: DraftedCases['files']): Promise<void> {
  const texts = [
    ...files.map(({ path: name, content }) => ({ target: path.join(root, name), text: content })),
    { target: file, text: `${jsonText(suite, 2)}\n` },
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
    const why = errnoCode(error) === 'EEXIST' ? 'a file of that name was created in the meantime' : errorMessage(error)
    throw new UserError(`${file}: ${why}; nothing was written`, 'choose another file: --output FILE')
  }
}
