/** How the user starts Whetstone: a package that npx runs has no command `whetstone`. */
import path from 'node:path'
import { readOwnPackage } from './package_root.ts'

/** `npx whetstone` if npx or a project's own installation started this process, else `whetstone`. `program`: what was started. */
export function typedCommand(program = process.argv[1] ?? ''): string {
  const isLocal = path.basename(path.dirname(program)) === '.bin' && path.parse(program).name === 'whetstone'
  return isLocal ? `npx ${readOwnPackage().name}` : 'whetstone'
}
