/** Whether one path lies below another. */
import path from 'node:path'

/** Whether a path is the folder or lies below it. */
export function isBelow(place: string, folder: string): boolean {
  const relative = path.relative(folder, place)
  return relative === '' || (relative !== '..' && !relative.startsWith('../') && !path.isAbsolute(relative))
}
