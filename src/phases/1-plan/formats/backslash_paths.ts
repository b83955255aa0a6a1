/** Reads paths that were written on Windows, with backslashes: as `/`, with a warning, where that is what the author wants. */
import path from 'node:path'
import { pathExists } from '../../../base/fs/files.ts'
import type { Warn } from '../suite/loader_warnings.ts'

/** A path as a suite names it, and where (JSON path). */
interface WrittenPath {
  path: string
  at: string
}

/** The path of a file that exists below one of the folders: as written, else with / if only that exists. */
export async function readBackslashPath(
  { path: given, at }: WrittenPath,
  folders: readonly string[],
  warn: Warn,
): Promise<string> {
  if (!given.includes('\\') || (await existsBelow(folders, given))) return given
  const plain = given.replaceAll('\\', '/')
  if (!(await existsBelow(folders, plain))) return given
  warn(at, readAsWarning(given, plain))
  return plain
}

async function existsBelow(folders: readonly string[], name: string): Promise<boolean> {
  for (const folder of folders) if (await pathExists(path.resolve(folder, name))) return true
  return false
}

/**
 * The path or glob of a file that an agent will create. A glob needs no backslash before a letter or digit, so it separates folders
 * there. Before `*` it may be an escape, so it stays, with a warning.
 */
export function readOutputPath({ path: given, at }: WrittenPath, warn: Warn): string {
  const plain = given.replaceAll(/\\(?=[\p{L}\p{N}_.-])/gu, '/')
  if (plain !== given) warn(at, readAsWarning(given, plain))
  if (/[\p{L}\p{N}_]\\[*?[{(]/u.test(plain)) {
    warn(at, `"${plain}": \\ makes the next character literal in a glob; between folders write / (${slashed(plain)})`)
  }
  return plain
}

function readAsWarning(given: string, plain: string): string {
  return `"${given}" is read as "${plain}": write / between folders`
}

function slashed(text: string): string {
  return text.replaceAll('\\', '/')
}

/** Why a path with backslashes finds nothing; '': it has none. */
export function explainBackslashes(given: string): string {
  if (path.win32.isAbsolute(given) && !path.isAbsolute(given)) {
    return "; a path of another machine: put the file into the skill's folder and name it from there"
  }
  return given.includes('\\') ? '; write / instead of \\' : ''
}
