/** Where Whetstone itself is installed, and how a user types its commands. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The nearest folder above this file with a package.json: the same from the source tree and from the build. */
export function packageRoot(): string {
  let folder = import.meta.dirname
  while (!existsSync(path.join(folder, 'package.json')) && path.dirname(folder) !== folder)
    folder = path.dirname(folder)
  return folder
}

/** Name, version and home page of Whetstone itself. */
export function readOwnPackage(): { name: string; version: string; homepage: string } {
  return JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'))
}

/**
 * `npx whetstone` if npx or a project's own installation started this process, because a package that npx runs
 * has no command `whetstone`; else `whetstone`. `program`: what was started.
 */
export function typedCommand(program = process.argv[1] ?? ''): string {
  const isLocal = path.basename(path.dirname(program)) === '.bin' && path.parse(program).name === 'whetstone'
  return isLocal ? `npx ${readOwnPackage().name}` : 'whetstone'
}

/** One word of a shell. Without backslashes, so that command lines of settings, which know none, can have it too. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`
}
