/** Whether what lies in a folder is its own: in a folder that somebody gave away, a link leads anywhere. */
import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { codeOf } from './error.ts'

/** Whether a place (absolute) really lies in a folder (absolute), which itself may be reached by links; a place that is not there does not. */
export function liesIn(folder: string, place: string): boolean {
  return doesLie(folder, place, new Set())
}

/** The same for many places in one folder: a part of their way that was no link once is not looked at again. */
export function liesWithin(folder: string): (place: string) => boolean {
  const straight = new Set<string>()
  return (place) => doesLie(folder, place, straight)
}

function doesLie(folder: string, place: string, straight: Set<string>): boolean {
  try {
    const way = wayTo(folder, place, straight)
    return way === 'link'
      ? isBelow(path.relative(realpathSync.native(folder), realpathSync.native(place)))
      : way === 'straight'
  } catch {
    return false
  }
}

/**
 * Whether what is written to a place (absolute, not there yet or there) would land outside of a folder (absolute), by a link on the
 * way to it. A link to nothing counts: writing makes what it leads to.
 */
export function leadsOut(folder: string, place: string): boolean {
  const root = realpathSync.native(folder)
  let at = root
  for (const part of path.relative(folder, place).split(path.sep)) {
    at = path.join(at, part)
    const found = lstatSync(at, notThere)
    if (found?.isSymbolicLink()) at = realOf(at) ?? path.dirname(root)
    if (!isBelow(path.relative(root, at))) return true
    if (found === undefined || !(found.isDirectory() || found.isSymbolicLink())) return false // nothing can be below it
  }
  return false
}

/** Whether a relative path is that of a place below a folder (absolute), links aside. */
export function namesBelow(folder: string, name: string): boolean {
  const inside = path.relative(folder, path.join(folder, name))
  return inside !== '' && isBelow(inside)
}

function realOf(link: string): string | null {
  try {
    return realpathSync.native(link)
  } catch {
    return null
  }
}

/** Thousands of files are asked about: where no part of the way is a link, nothing need be resolved. */
function wayTo(folder: string, place: string, straight: Set<string>): 'straight' | 'link' | 'nothing' {
  const inside = path.relative(folder, place)
  if (!isBelow(inside)) return 'link'
  const from = folder.endsWith(path.sep) ? folder : folder + path.sep
  let end = 0
  do {
    const next = inside.indexOf(path.sep, end + 1)
    end = next < 0 ? inside.length : next
    const part = end === 0 ? folder : from + inside.slice(0, end)
    if (straight.has(part)) continue
    const found = lstatSync(part, notThere)
    if (found === undefined) return 'nothing'
    if (found.isSymbolicLink()) return 'link'
    if (end < inside.length) straight.add(part)
  } while (end < inside.length)
  return 'straight'
}

const notThere = { throwIfNoEntry: false } as const

function isBelow(inside: string): boolean {
  return inside !== '..' && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside)
}

/** The path of a file in a folder; null: it is not there, a link leads out of the folder, or it is a pipe or a device, whose reading may never end. */
export function ownFile(folder: string, name: string): string | null {
  const file = path.join(folder, name)
  return liesIn(folder, file) && statSync(file).isFile() ? file : null
}

/** The same for several files of a folder, which is read once; of one that can't be read there are none. */
export function ownFilesOf(folder: string): (name: string) => string | null {
  const entries = new Map(entriesOf(folder).map((entry) => [entry.name, entry]))
  return (name) => {
    const entry = entries.get(name)
    if (entry?.isSymbolicLink() === true) return ownFile(folder, name)
    return entry?.isFile() === true ? path.join(folder, name) : null
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (!noEntries.has(codeOf(error) ?? '')) throw error // too many open files, say: it may be full
    return []
  }
}

const noEntries = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'])
