/** Looks for whetstone.config.yaml (or .json): beside the suite, then up the tree. */
import { lstatSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/error.ts'

const names = ['whetstone.config.yaml', 'whetstone.config.yml', 'whetstone.config.json']

/**
 * The nearest file in `start` or a folder above, up to the root of the git repository, the user's home, or a folder that
 * belongs to somebody else. Null: there is none. Throws UserError where two lie side by side.
 */
export async function findConfig(start: string, home: string | undefined): Promise<string | null> {
  const last = await realpath(home ?? '/').catch(() => '/')
  let folder = await nearestFolder(start)
  while (folder !== null) {
    const found = among(folder)
    if (found !== null) return found
    const above = path.dirname(folder)
    const isLast = folder === last || above === folder || (await holdsGit(folder)) || !(await isOurs(above))
    folder = isLast ? null : above
  }
  return null
}

/** The folder itself, else the first above it that is there. */
async function nearestFolder(start: string): Promise<string | null> {
  const found = await realpath(start).catch(() => null)
  if (found !== null || path.dirname(start) === start) return found
  return await nearestFolder(path.dirname(start))
}

/** Asked for one by one: a folder above, such as /tmp, may hold a hundred thousand others. */
function among(folder: string): string | null {
  const [found, other] = names.filter((name) => isThere(path.join(folder, name)))
  if (found === undefined) return null
  if (other === undefined) return path.join(folder, found)
  throw new UserError(`${folder}: both ${found} and ${other}`, 'keep one of them')
}

/** A link that leads nowhere is there too: who set it is told. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // a file above it is no folder, or may not be searched
  }
}

async function holdsGit(folder: string): Promise<boolean> {
  return (await stat(path.join(folder, '.git')).catch(() => null)) !== null
}

/** A folder such as /tmp holds what anybody puts there. */
async function isOurs(folder: string): Promise<boolean> {
  const info = await stat(folder).catch(() => null)
  return info !== null && (process.getuid === undefined || info.uid === process.getuid())
}
