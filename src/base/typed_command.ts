/** Commands as users type them: how they start Whetstone, and how a word is quoted. */
import path from 'node:path'
import { readOwnPackage } from './package_root.ts'

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
