/** Whether what lies in a folder is its own: in a folder that somebody gave away, a link leads anywhere. */
import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'

/** Whether a place (absolute) really lies in a folder (absolute), which itself may be reached by links; a place that is not there does not. */
export function liesIn(folder: string, place: string): boolean {
  try {
    const inside = path.relative(realpathSync.native(folder), realpathSync.native(place))
    return inside !== '..' && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside)
  } catch {
    return false
  }
}

/** The path of a file in a folder; null: it is not there, a link leads out of the folder, or it is a pipe or a device, whose reading may never end. */
export function ownFile(folder: string, name: string): string | null {
  const file = path.join(folder, name)
  return liesIn(folder, file) && statSync(file).isFile() ? file : null
}
