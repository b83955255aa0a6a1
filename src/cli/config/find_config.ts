/** Finds whetstone.config.yaml (or .json): next to the suite, then in the folders above; and the user's own file. Names those that look as if they applied and do not. */
import { existsSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { tryReadInfo } from '../../base/fs/tree_size.ts'
import { toSafeLine } from '../terminal/style.ts'

const configNames = ['whetstone.config.yaml', 'whetstone.config.yml', 'whetstone.config.json']

export interface FoundConfigs {
  /** Of the repository; null: there is none. */
  file: string | null
  /** The user's own, `$XDG_CONFIG_HOME/whetstone/whetstone.config.yaml`; null: there is none. */
  own: string | null
}

/** The user's own file is never a repository's, wherever the search starts. */
export async function findConfigs(start: string, { HOME, XDG_CONFIG_HOME }: NodeJS.ProcessEnv): Promise<FoundConfigs> {
  const base =
    XDG_CONFIG_HOME && path.isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : HOME && path.join(HOME, '.config')
  const place = base ? path.join(base, 'whetstone/whetstone.config.yaml') : null
  const own = place !== null && isThere(place) ? place : null
  const found = await findConfig(start, HOME)
  const isOwn = found !== null && own !== null && (await resolveLinks(found)) === (await resolveLinks(own))
  return { file: isOwn ? null : found, own }
}

async function resolveLinks(file: string): Promise<string> {
  return await realpath(file).catch(() => file)
}

/**
 * The nearest file in `start` or above, up to the root of the git repository, the user's home, or a folder owned by another user. null:
 * there is none. Throws UserError if a folder has both.
 */
async function findConfig(start: string, home: string | undefined): Promise<string | null> {
  for (const folder of await searchedFolders(start, home)) {
    const found = findConfigName(folder)
    if (found !== null) return found
  }
  return null
}

/** `start` and the folders above, nearest first. */
async function searchedFolders(start: string, home: string | undefined): Promise<string[]> {
  const last = await realpath(home ?? '/').catch(() => '/')
  const folders: string[] = []
  let folder = await nearestFolder(start)
  while (folder !== null) {
    folders.push(folder)
    const above = path.dirname(folder)
    const isLast =
      folder === last || above === folder || existsSync(path.join(folder, '.git')) || !(await isOurs(above))
    folder = isLast ? null : above
  }
  return folders
}

/** The folder itself, else its nearest existing parent. */
async function nearestFolder(start: string): Promise<string | null> {
  const found = await realpath(start).catch(() => null)
  if (found !== null || path.dirname(start) === start) return found
  return await nearestFolder(path.dirname(start))
}

/** Tests each name: a folder above, such as /tmp, may have a hundred thousand files. */
function findConfigName(folder: string): string | null {
  const [found, other] = configNames.filter((name) => isThere(path.join(folder, name)))
  if (found === undefined) return null
  if (other === undefined) return path.join(folder, found)
  throw new UserError(`${folder}: both ${found} and ${other}`, 'keep one of them')
}

/** A broken link counts too, so that the user learns of it. */
function isThere(file: string): boolean {
  return tryReadInfo(file) !== null
}

/** Any user may write to a folder such as /tmp. */
async function isOurs(folder: string): Promise<boolean> {
  const info = await stat(folder).catch(() => null)
  return info !== null && (process.getuid === undefined || info.uid === process.getuid())
}

/** Names that other tools use; each is tested, because a folder may have a hundred thousand files. */
const otherNames = [
  ...['.whetstonerc', '.whetstonerc.yaml', '.whetstonerc.yml', '.whetstonerc.json'],
  ...['whetstone.yaml', 'whetstone.yml', 'whetstone.json', '.whetstone.yaml', '.whetstone.yml', '.whetstone.json'],
  ...['whetstone.config.js', 'whetstone.config.mjs', 'whetstone.config.ts', 'whetstone.config.toml'],
]

const named = new Set<string>()

/** Call before each command line: each file is named once. */
export function forgetUnusedConfigs(): void {
  named.clear()
}

interface Search {
  start: string
  home: string | undefined
  /** The files that apply, the nearest first. */
  used: readonly string[]
}

/** A line for each file, with why it is not read. */
export async function unusedConfigLines({ start, home, used }: Search): Promise<string[]> {
  const folders = await searchedFolders(start, home)
  const here = process.cwd()
  const elsewhere = folders.includes(here) ? [] : inFolder(here, configNames)
  const reasons: [files: string[], reason: string][] = [
    [
      [...new Set([...folders, here])].flatMap((one) => inFolder(one, otherNames)),
      'rename it to whetstone.config.yaml',
    ],
    [folders.flatMap((one) => inFolder(one, configNames)), `${shown(used[0] ?? '')} is nearer`],
    [elsewhere, `only ${shown(folders[0] ?? start)} and the folders above it are searched`],
  ]
  const lines = reasons.flatMap(([files, reason]) =>
    files.flatMap((file) => (used.includes(file) || named.has(file) ? [] : [{ file, reason }])),
  )
  for (const { file } of lines) named.add(file)
  return lines.map(({ file, reason }) => toSafeLine(`warning: configuration file not read: ${shown(file)} (${reason})`))
}

function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => path.join(folder, name)).filter(isThere)
}

function shown(file: string): string {
  return path.relative(process.cwd(), file) || '.'
}
