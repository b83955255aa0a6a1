/** Names and sizes of what is in a folder. Follows no link, and skips what can't be read or is removed during the walk. */
import { lstatSync, readdirSync, type Stats } from 'node:fs'
import path from 'node:path'
import { attempt } from '../errors/attempt.ts'

/** Names in a folder; empty when it is missing or can't be read. */
export function readNames(folder: string): string[] {
  return attempt(() => readdirSync(folder), [])
}

/** Of a file, or of everything in a folder; a link counts as itself. */
export function sumTreeBytes(place: string): number {
  const info = tryReadInfo(place)
  if (!info?.isDirectory()) return info?.size ?? 0
  return readNames(place).reduce((sum, name) => sum + sumTreeBytes(path.join(place, name)), 0)
}

/** Of the link itself where it is one; null: missing, or it can't be read. */
export function tryReadInfo(place: string): Stats | null {
  return attempt(() => lstatSync(place), null)
}
