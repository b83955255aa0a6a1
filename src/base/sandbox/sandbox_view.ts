/** What a sandbox shows, for Whetstone's own code that reads and writes files for an agent without entering the sandbox. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { findHiddenPlaces } from './hidden_places.ts'
import { isSubpath } from './paths_below.ts'
import type { Sandbox } from './policy.ts'
import { resolvePathFolders } from './programs.ts'
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
  const { hidden, cleared } = await findHiddenPlaces(policy)
  const emptied = cleared.map(({ real }) => real)
  const [writable = [], readOnly = [], readable = []] = await Promise.all(
    [
      policy.writable,
      policy.readOnly,
      [...policy.readable, ...(mechanism === 'container' ? [] : await resolvePathFolders(searchPath, emptied))],
    ].map(resolveReal),
  )
  const isShown = (place: string) => {
    const around = emptied.filter((folder) => isSubpath(place, folder))
    if (around.length === 0) return isIn(place, readable) || isOfSystem(place)
    // of a readable folder and a cleared one, the inner one decides
    return readable.some((folder) => isSubpath(place, folder) && around.every((one) => isSubpath(folder, one)))
  }
  const isIn = (place: string, folders: readonly string[]) => folders.some((folder) => isSubpath(place, folder))
  // the system of a container is not this machine's
  const isOfSystem = (place: string) => mechanism !== 'container' && isSystemPath(place)
  const isHidden = (place: string) => hidden.some(({ real }) => isSubpath(place, real))
  const canRead = (place: string) => isIn(place, writable) || (!isHidden(place) && isShown(place))
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
