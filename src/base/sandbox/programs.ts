/** What the programs of a run need to start: the folders that PATH names, where they are installed, a script's own folder. */
import { constants } from 'node:fs'
import { access, readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { realTmp } from '../room.ts'
import { isBelow } from './below.ts'
import { isSystem } from './system.ts'

const cached = new Map<string, Promise<string[]>>()

/** Folders to show so that the programs of this PATH start: those outside of the system's own, and where they are installed. */
export function pathFolders(searchPath: string): Promise<string[]> {
  const all = cached.get(searchPath) ?? findPathFolders(searchPath)
  cached.set(searchPath, all)
  return all
}

async function findPathFolders(searchPath: string): Promise<string[]> {
  const given = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder) && !isSystem(folder))
  const found = await Promise.all([...new Set(given)].map(partsOfFolder))
  return [...new Set(found.flat())]
}

async function partsOfFolder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => null)
  if (entries === null || isTooWide(folder)) return []
  const root = installRoot(folder)
  const links = entries.filter((entry) => entry.isSymbolicLink()).map((entry) => path.join(folder, entry.name))
  const targets = await Promise.all(links.map((link) => realpath(link).catch(() => null)))
  const outside = targets.flatMap((target) =>
    target === null || isBelow(target, root) || isSystem(target) ? [] : [partOfProgram(target)],
  )
  return [root, ...outside]
}

/**
 * What the words of a command line name, each an existing absolute path: an installation where that can be told, a script's
 * folder with the modules and package.json above it, a folder itself. Never a home, never /.
 */
export async function partsOfCommand(words: readonly string[]): Promise<string[]> {
  const parts = await Promise.all(words.filter((word) => path.isAbsolute(word)).map(partsOfWord))
  return [...new Set(parts.flat())]
}

async function partsOfWord(word: string): Promise<string[]> {
  const real = await realpath(word).catch(() => null)
  if (real === null) return []
  const info = await stat(real)
  const places = [...new Set([word, real])].filter((place) => !isSystem(place))
  if (info.isDirectory()) return places.filter((place) => !isTooWide(place))
  return places.flatMap((place) => [partOfProgram(place), ...modulesAbove(place)])
}

/** What Node looks for from a script upwards. */
function modulesAbove(file: string): string[] {
  const above: string[] = []
  for (let folder = path.dirname(file); !isTooWide(folder); folder = path.dirname(folder)) {
    above.push(path.join(folder, 'node_modules'), path.join(folder, 'package.json'))
  }
  return above
}

function partOfProgram(file: string): string {
  const modules = file.indexOf('/node_modules/')
  if (modules >= 0) return file.slice(0, modules + '/node_modules'.length)
  const folder = path.dirname(file)
  const root = installRoot(folder)
  return isTooWide(root) ? file : root
}

/** `<root>/bin` is part of <root>, unless that is a place where a user keeps everything else too. */
function installRoot(folder: string): string {
  const parent = path.dirname(folder)
  const isPart = /^s?bin$|^shims$/.test(path.basename(folder))
  return isPart && !isTooWide(parent) && !/^\.(local|config|cargo|docker|aws)$/.test(path.basename(parent))
    ? parent
    : folder
}

/** The absolute path of a program of PATH; null when there is none. */
export async function whereIs(name: string, searchPath: string): Promise<string | null> {
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

/** /, a home or what holds homes, the folder of all rooms: no folder of a program. */
function isTooWide(folder: string): boolean {
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
  ]
  return (
    path.dirname(folder) === '/home' || roomsFolder().includes(folder) || homes.some((home) => isBelow(home, folder))
  )
}

/** The folder of all rooms; nothing where it is not there. */
export function roomsFolder(): string[] {
  try {
    return [realTmp()]
  } catch {
    return []
  }
}
