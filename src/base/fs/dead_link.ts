/** Links without a target: `ls` shows them, but opening one reports that there is no such file. */
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import path from 'node:path'

/** Whether the place is a link whose target is missing. */
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
