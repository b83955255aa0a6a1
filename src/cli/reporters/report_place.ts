/** Checks before any paid work that a report can be written where the user wants it. */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { whyNotWritable } from '../../base/fs/writable.ts'

/** Sources of skills, agents and suites: a report that replaces one is a mistake. */
const sources = [
  /^(SKILL|EVAL|AGENTS?|CLAUDE|rubric|judge|model|persona)\.md$/,
  /\.EVAL\.md$/,
  /^(evals|hooks|servers|package\.agent|eval-config|test-config)\.json$/,
  /\.ya?ml$/,
]
const sourceFolders = new Set(['golden', 'cases', 'fixtures'])

/** `flag`: the one that names the file (absolute). Throws UserError for a folder, an unwritable path, and a suite's file. */
export async function assertReportPlace(flag: string, file: string): Promise<void> {
  const isThere = existsSync(file)
  const isFolder = isThere && statSync(file).isDirectory()
  const reason = isFolder ? 'is a folder' : whyNotWritable({ place: file, kind: 'file' })
  if (reason !== null) throw new UserError(`${flag}: ${file}: ${reason}`, 'choose a file that can be written')
  if (isThere && isSource(file)) {
    throw new UserError(
      `${flag}: ${file}: belongs to a skill or a suite; refusing to overwrite it`,
      'choose another file',
    )
  }
}

function isSource(file: string): boolean {
  const above = path.dirname(file).split(path.sep)
  const [last, before] = [above.at(-1), above.at(-2)] // golden tests have a folder for each category
  const inSuite = [last, before].some((name) => name !== undefined && sourceFolders.has(name))
  return inSuite || sources.some((form) => form.test(path.basename(file)))
}
