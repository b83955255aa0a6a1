/** Finds what the programs of a run need to start: the folders of PATH, where programs are installed, a script's own folder. */
import { constants } from 'node:fs'
import { access, readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { attempt } from '../errors/attempt.ts'
import { isSubpath } from '../fs/inside_folder.ts'
import { resolveTmp } from '../fs/temp_dir.ts'
import { isSystemPath } from './system.ts'

const pathFolderCache = new Map<string, Promise<string[]>>()

/**
 * Folders to show so that the programs of this PATH start, and where they are installed: those outside of the system, or in a cleared
 * folder.
 */
export function resolvePathFolders(searchPath: string, cleared: readonly string[]): Promise<string[]> {
  const key = JSON.stringify([searchPath, cleared])
  const all = pathFolderCache.get(key) ?? findPathFolders(searchPath, cleared)
  pathFolderCache.set(key, all)
  return all
}

async function findPathFolders(searchPath: string, cleared: readonly string[]): Promise<string[]> {
  const isWanted = (place: string) => path.isAbsolute(place) && !isShownBySystem(place, cleared)
  const given = searchPath.split(path.delimiter).filter(isWanted)
  const found = await Promise.all([...new Set(given)].map(findFolderParts))
  return [...new Set(found.flat())].filter(isWanted)
}

/** Whether every sandbox shows this path anyway, as a part of the system. */
export function isShownBySystem(place: string, cleared: readonly string[]): boolean {
  return isSystemPath(place) && !cleared.some((folder) => isSubpath(place, folder))
}

async function findFolderParts(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => null)
  if (entries === null || isTooWide(folder)) return []
  const root = installRoot(folder)
  const links = entries.filter((entry) => entry.isSymbolicLink()).map((entry) => path.join(folder, entry.name))
  const targets = await Promise.all(links.map((link) => realpath(link).catch(() => null)))
  const outside = targets.flatMap((target) => (target === null || isSubpath(target, root) ? [] : [programPart(target)]))
  return [root, ...outside]
}

/**
 * The parts that the words of a command line name, each an existing absolute path: an installation if it can be recognised, a script's
 * folder with the modules and package.json above it, a folder itself. Never a home, never /; also parts of the system.
 */
export async function findCommandParts(words: readonly string[]): Promise<string[]> {
  const parts = await Promise.all(words.filter((word) => path.isAbsolute(word)).map(findWordParts))
  return [...new Set(parts.flat())]
}

async function findWordParts(word: string): Promise<string[]> {
  const real = await realpath(word).catch(() => null)
  if (real === null) return []
  const info = await stat(real)
  const places = [...new Set([word, real])]
  if (info.isDirectory()) return places.filter((place) => !isTooWide(place))
  return places.flatMap((place) => [programPart(place), ...findModules(place)])
}

/** What Node looks for, from a script upwards. */
function findModules(file: string): string[] {
  const above: string[] = []
  for (let folder = path.dirname(file); !isTooWide(folder); folder = path.dirname(folder)) {
    above.push(path.join(folder, 'node_modules'), path.join(folder, 'package.json'))
  }
  return above
}

function programPart(file: string): string {
  const modules = file.indexOf('/node_modules/')
  if (modules >= 0) return file.slice(0, modules + '/node_modules'.length)
  const folder = path.dirname(file)
  const root = installRoot(folder)
  return isTooWide(root) ? file : root
}

/** `<root>/bin` is part of <root>, unless a user keeps everything else there too. */
function installRoot(folder: string): string {
  const parent = path.dirname(folder)
  const isPart = /^s?bin$|^shims$/.test(path.basename(folder))
  return isPart && !isTooWide(parent) && !/^\.(local|config|cargo|docker|aws)$/.test(path.basename(parent))
    ? parent
    : folder
}

/** The absolute path of a program on PATH; null: not found. */
export async function findOnPath(name: string, searchPath: string): Promise<string | null> {
  for (const folder of searchPath.split(path.delimiter).filter((one) => path.isAbsolute(one))) {
    const file = path.join(folder, name)
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  return null
}

/** Not the folder of a program: /, a home or the parent of homes, the parent of all temp directories. */
export function isTooWide(folder: string): boolean {
  const homes = [
    homedir(),
    process.env.HOME ?? '/root',
    '/root',
    '/home',
    '/Users',
    '/tmp',
    '/var/tmp',
    '/etc',
    '/var',
    '/run',
    '/opt',
    '/srv',
  ]
  return (
    path.dirname(folder) === '/home' || tempDirRoots().includes(folder) || homes.some((home) => isSubpath(home, folder))
  )
}

/** The parent of all temp directories; empty when it is missing. */
export function tempDirRoots(): string[] {
  return attempt(() => [resolveTmp()], [])
}
