/** Reads only files of an AAM package: paths stay below its folder, links do not leave it, and sizes are bounded. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { UserError } from '../../../../base/errors/error.ts'
import { findOwnFile } from '../../../../base/fs/inside_folder.ts'
import { readText } from '../../../../base/json/json.ts'

const longest = 1024 * 1024

/** Returns the text of a file (absolute) of the package. Throws UserError if it is missing, a link leads out, or it is too large. */
export async function readPackageText(root: string, file: string): Promise<string> {
  const own = findOwnFile(root, path.relative(root, file))
  if (own === null) throw new UserError(`${file}: no such file in the package`)
  if (statSync(own).size > longest) throw new UserError(`${file}: larger than ${longest} bytes`)
  return readText(own)
}

/** Whether a path is absolute or leads out of its folder. */
export function leavesFolder(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.includes('\0') || path.split(/[\\/]/).includes('..')
}
