/** What a sandbox shows, for Whetstone's own code that reads and writes files for an agent without entering the sandbox. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { isSubpath } from './paths_below.ts'
import type { Sandbox } from './policy.ts'
import { resolvePathFolders, tempDirRoots } from './programs.ts'
import { isSystemPath } from './system.ts'

/** canRead and canWrite take an absolute path with its links resolved. */
export interface SandboxView {
  /** The outside path of an inside path: /tmp may be a folder of the temp directory. */
  locate(inside: string): string
  canRead(real: string): boolean
  canWrite(real: string): boolean
}

/** The answers hold only while no process of the agent runs: nothing may change the place between check and use. */
export async function createSandboxView({ mechanism, policy }: Sandbox, searchPath: string): Promise<SandboxView> {
  const [writable, readOnly, hidden, readable] = await Promise.all(
    [
      policy.writable,
      policy.readOnly,
      policy.hidden,
      [...policy.readable, ...(mechanism === 'container' ? [] : await resolvePathFolders(searchPath))],
    ].map(resolveReal),
  )
  const [rooms = null] = tempDirRoots()
  // a folder that contains the parent of all temp directories shows none of them
  const isShown = (place: string) =>
    (readable ?? []).some(
      (folder) =>
        isSubpath(place, folder) && !(rooms && folder !== rooms && isSubpath(rooms, folder) && isSubpath(place, rooms)),
    )
  const isIn = (place: string, folders: readonly string[] = []) => folders.some((folder) => isSubpath(place, folder))
  // the system of a container is not this machine's
  const isOfSystem = (place: string) => mechanism !== 'container' && isSystemPath(place)
  const canRead = (place: string) =>
    isIn(place, writable) || (!isIn(place, hidden) && (isShown(place) || isOfSystem(place)))
  return {
    canRead,
    locate(inside) {
      const shown = (policy.places ?? []).find(({ at }) => isSubpath(inside, at))
      if (shown !== undefined) return path.join(shown.from, path.relative(shown.at, inside))
      if (policy.tmp === null || !isSubpath(inside, '/tmp') || canRead(inside)) return inside
      return path.join(policy.tmp, path.relative('/tmp', inside))
    },
    canWrite: (place) => isIn(place, writable) && !isIn(place, readOnly),
  }
}

function resolveReal(places: readonly string[]): Promise<string[]> {
  return Promise.all(places.map((place) => realpath(place).catch(() => place)))
}
