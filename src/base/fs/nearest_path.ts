/** Explains a path that does not exist: a link without a target, or a similar path that exists. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { UserError } from '../errors/error.ts'
import { findNearest } from '../text/did_you_mean.ts'

/** For a path that does not exist: `what` is expected there; without a similar path, `fix` is the hint. */
export function missingPathError(given: string, what: 'folder' | 'file' | 'file or folder', fix: string): UserError {
  return new UserError(`${given}: ${describeMissingPath(given, `no such ${what}`)}`, suggestPath(given) ?? fix)
}

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

export function isDeadLink(place: string): boolean {
  return !existsSync(place) && lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** Describes a missing place: `otherwise`, or which link on the way to it has no target. */
export function describeMissingPath(place: string, otherwise: string): string {
  const given = path.resolve(place)
  for (let at = given; !existsSync(at); at = path.dirname(at)) {
    if (!isDeadLink(at)) continue
    const which = at === given ? 'a link' : `${at} is a link`
    return `${which} to ${readlinkSync(at)}, which is not there`
  }
  return otherwise
}
