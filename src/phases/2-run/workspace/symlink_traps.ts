/** Refuses links that would lead files out of the agent's working folder. */
import { statSync } from 'node:fs'
import path from 'node:path'
import { errorMessage } from '../../../base/errors/error.ts'
import { escapesFolder, isChildPath } from '../../../base/fs/inside_folder.ts'
import { specialFileKind } from '../../../base/fs/special_files.ts'

/** The starting state could not be prepared: the run fails as `setup`. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/**
 * Throws SetupError if one of these places (absolute) is outside the working folder, or is a pipe or a device.
 * Links of a bundle, of `setup` or of an earlier file may lead out. This process has no sandbox and could block forever.
 */
export function assertNoSymlinkTraps(cwd: string, places: readonly string[]): void {
  for (const place of places) {
    const inside = path.relative(cwd, place)
    if (!isChildPath(cwd, inside)) throw new SetupError(`${inside}: outside the working folder`)
    if (inspectPlace(() => escapesFolder(cwd, place)))
      throw new SetupError(`${inside}: a link in this path leads out of the working folder`)
    const there = inspectPlace(() => statSync(place, { throwIfNoEntry: false }))
    const odd = there === undefined ? null : specialFileKind(there)
    if (odd !== null) throw new SetupError(`${inside}: it is ${odd}, so no file can be written there`)
  }
}

/** A path that cannot be read is below a file or a pipe. */
function inspectPlace<T>(look: () => T): T {
  try {
    return look()
  } catch (error) {
    throw new SetupError(errorMessage(error))
  }
}
