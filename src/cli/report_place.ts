/** Whether a report can lie where the user wants it: asked before the work is paid for. */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { UserError } from '../base/error.ts'
import { whyNotWritable } from '../base/writable.ts'

/** What skills, agents and suites are made of: a report that replaces one of them is a slip. */
const sources = [
  /^(SKILL|EVAL|AGENTS?|CLAUDE|rubric|judge|model|persona)\.md$/,
  /\.EVAL\.md$/,
  /^(evals|hooks|servers|package\.agent|eval-config|test-config)\.json$/,
  /\.ya?ml$/,
]
const sourceFolders = new Set(['golden', 'cases', 'fixtures'])

/** `flag`: what named the file (absolute). Throws UserError for a folder, what can't be written there, and a file of a suite. */
export async function refuseBadPlace(flag: string, file: string): Promise<void> {
  const isThere = existsSync(file)
  const isFolder = isThere && statSync(file).isDirectory()
  const reason = isFolder ? 'is a folder' : whyNotWritable({ place: file, kind: 'file' })
  if (reason !== null) throw new UserError(`${flag}: ${file}: ${reason}`, 'name a file that can be written')
  if (isThere && isSource(file)) {
    throw new UserError(`${flag}: ${file}: belongs to a skill or a suite, and is not replaced`, 'name another file')
  }
}

function isSource(file: string): boolean {
  const above = path.dirname(file).split(path.sep)
  const [last, before] = [above.at(-1), above.at(-2)] // golden tests lie in a folder a category
  const inSuite = [last, before].some((name) => name !== undefined && sourceFolders.has(name))
  return inSuite || sources.some((form) => form.test(path.basename(file)))
}
