/** Checks that a place is inside a folder, really so: in a folder from someone else, a link may lead anywhere. */
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { errnoCode } from '../errors/error.ts'

/** Whether a place (absolute) is really inside a folder (absolute; links on the way to it are fine). False for a missing place. */
export function isInsideFolder(folder: string, place: string): boolean {
  try {
    return isRelativeInside(path.relative(realpathSync.native(folder), realpathSync.native(place)))
  } catch {
    return false
  }
}

export function createInsideCheck(folder: string): (place: string) => boolean {
  return (place) => isInsideFolder(folder, place)
}

/**
 * Whether writing to a place (absolute, existing or not) would land outside of a folder (absolute), through a link on the way.
 * A link without a target counts: writing creates its target.
 */
export function escapesFolder(folder: string, place: string): boolean {
  const root = realpathSync.native(folder)
  let at = root
  for (const part of path.relative(folder, place).split(path.sep)) {
    at = path.join(at, part)
    const found = lstatSync(at, notThere)
    if (found?.isSymbolicLink()) at = resolveLink(at) ?? path.dirname(root)
    if (!isRelativeInside(path.relative(root, at))) return true
    if (found === undefined || !(found.isDirectory() || found.isSymbolicLink())) return false // nothing can be below it
  }
  return false
}

/** Whether a place below a folder (both absolute) is a folder, and no link is on the way to it. */
export function isPlainFolder(folder: string, place: string): boolean {
  let at = folder
  for (const part of path.relative(folder, place).split(path.sep)) {
    at = path.join(at, part)
    if (lstatSync(at, notThere)?.isDirectory() !== true) return false
  }
  return true
}

/** Whether a relative path names a place below a folder (absolute), links aside. */
export function isChildPath(folder: string, name: string): boolean {
  const inside = path.relative(folder, path.join(folder, name))
  return inside !== '' && isRelativeInside(inside)
}

function resolveLink(link: string): string | null {
  try {
    return realpathSync.native(link)
  } catch {
    return null
  }
}

const notThere = { throwIfNoEntry: false } as const

function isRelativeInside(inside: string): boolean {
  return inside !== '..' && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside)
}

/** The path of a file in a folder; null: missing, a link out of the folder, or a pipe or device, where reading may never end. */
export function findOwnFile(folder: string, name: string): string | null {
  const file = path.join(folder, name)
  return isInsideFolder(folder, file) && statSync(file).isFile() ? file : null
}

/** findOwnFile for several files of a folder, which is read once; a folder that can't be read has none. */
export function createOwnFileFinder(folder: string): (name: string) => string | null {
  const entries = new Map(readDirents(folder).map((entry) => [entry.name, entry]))
  return (name) => {
    const entry = entries.get(name)
    if (entry?.isSymbolicLink() === true) return findOwnFile(folder, name)
    return entry?.isFile() === true ? path.join(folder, name) : null
  }
}

function readDirents(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (!noEntries.has(errnoCode(error) ?? '')) throw error // with too many open files, for example, the folder may have entries
    return []
  }
}

const noEntries = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'])

export function isSubpath(place: string, folder: string): boolean {
  const relative = path.relative(folder, place)
  return relative === '' || (relative !== '..' && !relative.startsWith('../') && !path.isAbsolute(relative))
}
