/** Whether one path is inside another. */
import path from 'node:path'

/** Whether a path is the folder or inside it. */
export function isSubpath(place: string, folder: string): boolean {
  const relative = path.relative(folder, place)
  return relative === '' || (relative !== '..' && !relative.startsWith('../') && !path.isAbsolute(relative))
}
