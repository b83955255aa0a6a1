/** What belongs to an AAM package: paths that stay below a folder, files that no link takes from elsewhere, of bounded size. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { UserError } from '../../../../base/error.ts'
import { readText } from '../../../../base/json.ts'
import { ownFile } from '../../../../base/own_file.ts'

const longest = 1024 * 1024

/** The text of a file (absolute) of the package. Throws UserError where it is not there, a link leads out, or it is too large. */
export async function packageText(root: string, file: string): Promise<string> {
  const own = ownFile(root, path.relative(root, file))
  if (own === null) throw new UserError(`${file}: no such file in the package`)
  if (statSync(own).size > longest) throw new UserError(`${file}: larger than ${longest} bytes`)
  return readText(own)
}

/** Whether a relative path is none that stays below its folder. */
export function leavesFolder(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.includes('\0') || path.split(/[\\/]/).includes('..')
}
