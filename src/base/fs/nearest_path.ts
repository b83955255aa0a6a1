/** Suggests an existing path for one that does not exist. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { findNearest } from '../text/did_you_mean.ts'

/** Larger folders, such as a shared temporary folder, are not searched. */
const mostEntries = 10_000

/** `did you mean "skills/pdf"?` for the first part of the path that does not exist, or for backslashes; null: nothing is near. */
export function suggestPath(given: string): string | null {
  const slashed = given.replaceAll('\\', '/')
  if (slashed !== given && existsSync(slashed)) return `did you mean "${slashed}"?`
  let missing = given
  while (!existsSync(path.dirname(missing)) && path.dirname(missing) !== missing) missing = path.dirname(missing)
  const name = path.basename(missing)
  if (name.length < 3) return null
  const folder = path.dirname(missing)
  const rest = path.relative(missing, given)
  const near = findNearest(name, listNames(folder))
    .map((one) => path.join(folder, one, rest))
    .find((one) => existsSync(one))
  return near === undefined ? null : `did you mean "${near}"?`
}

function listNames(folder: string): string[] {
  try {
    const names = readdirSync(folder)
    return names.length > mostEntries ? [] : names
  } catch {
    return []
  }
}
