/** Links that lead nowhere: `ls` shows them, and whoever opens them is told that there is no such file. */
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import path from 'node:path'

/** Whether a link lies there whose target does not. */
export function isDeadLink(place: string): boolean {
  return !existsSync(place) && lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** What to say of a place that is not there: `otherwise`, or which link on the way to it leads nowhere. */
export function absence(place: string, otherwise: string): string {
  const given = path.resolve(place)
  for (let at = given; !existsSync(at); at = path.dirname(at)) {
    if (!isDeadLink(at)) continue
    const which = at === given ? 'a link' : `${at} is a link`
    return `${which} to ${readlinkSync(at)}, which is not there`
  }
  return otherwise
}
