/** Clears the paths of a sandbox's mounts inside folders that an earlier sandboxed program could change. */
import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import path from 'node:path'
import { isSubpath } from '../paths_below.ts'
import type { SandboxPolicy } from '../policy.ts'

/**
 * Removes links and files that were left in the way of these mounts (absolute paths inside). bubblewrap creates mount
 * points before it locks the machine away: it would follow such a link out of the sandbox.
 */
export function clearMountPaths({ tmp, places = [] }: Pick<SandboxPolicy, 'tmp' | 'places'>, mounts: string[]): void {
  const shared = [...places, ...(tmp === null ? [] : [{ from: tmp, at: '/tmp' }])]
  for (const mount of mounts) {
    for (const { from, at } of shared) {
      if (mount !== at && isSubpath(mount, at)) clearPath(from, path.relative(at, mount).split(path.sep))
    }
  }
}

function clearPath(folder: string, parts: readonly string[]): void {
  let place = folder
  for (const [index, part] of parts.entries()) {
    place = path.join(place, part)
    const info = lstatSync(place, { throwIfNoEntry: false })
    if (info === undefined) return
    if (!info.isDirectory()) {
      if (index < parts.length - 1 || !info.isFile()) unlinkSync(place)
      return
    }
    if ((info.mode & 0o700) !== 0o700) chmodSync(place, info.mode | 0o700)
  }
}
