/** Collects the application code that a case is about, as the agent finds it in its working folder: without the evals in it. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { InputFile } from '../../../../../schemas/suite.ts'
import { hashFile } from '../../../../base/fs/files.ts'
import { readText } from '../../../../base/json/json.ts'
import { hashFileContent } from '../../suite/input_files.ts'
import { evalBlocks, isEvalSource, removeEvalBlocks } from './comments.ts'
import { findImports } from './imports.ts'
import { findProject } from './places.ts'

export interface SubjectCode {
  source: { path: string; sha256: string }
  /** Relative to the package. */
  files: InputFile[]
  /** Files with @eval blocks: path → text without them. */
  texts: Record<string, string>
  /** Why imports of it are missing; null: none is. */
  warning: string | null
}

/** `source`: absolute. */
export async function readCode(source: string): Promise<SubjectCode> {
  const root = await findProject(source)
  const { files: found, leftOut } = await findImports(source, root)
  const files: InputFile[] = []
  const texts: Record<string, string> = {}
  for (const file of found) {
    const name = path.relative(root, file).split(path.sep).join('/')
    const text = isEvalSource(file) ? await readEvalSource(file) : null
    if (text === null) files.push({ path: name, source: file, ...(await hashFileContent(file)) })
    else texts[name] = text
  }
  const warning = leftOut.length === 0 ? null : `the agent does not get these imports: ${leftOut.join(', ')}`
  return { source: { path: source, sha256: await hashFile(source) }, files, texts, warning }
}

/** The text of a file without its @eval blocks; null: it has none. */
async function readEvalSource(file: string): Promise<string | null> {
  if ((await stat(file)).size > largestEvalSource) return null
  const text = await readText(file)
  const blocks = evalBlocks(text, file)
  return blocks.length === 0 ? null : removeEvalBlocks(text, blocks)
}

/** Bytes; larger files are not written by hand, and their comments are not read. */
export const largestEvalSource = 1024 * 1024
