/** Finds the result files of another tool: the file that was named, or those of a folder and its subfolders. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../../base/errors/error.ts'
import { walk } from '../../../base/fs/files.ts'

/** Absolute, in name order. Throws UserError if there are none; `looked` says what was looked for. */
export async function findResultFiles(place: string, matches: RegExp, looked: string): Promise<string[]> {
  const full = path.resolve(place)
  const found = await stat(full).catch(() => null)
  if (found === null) throw new UserError(`${place}: not found`, `name ${looked}`)
  if (found.isFile()) return [full]
  const { files } = await walk(full, { unreadable: 'leave_out' })
  const named = files.filter(({ path: file }) => matches.test(file)).map(({ path: file }) => path.join(full, file))
  if (named.length === 0) throw new UserError(`${place}: no results found`, `expected ${looked}`)
  return named.sort()
}
