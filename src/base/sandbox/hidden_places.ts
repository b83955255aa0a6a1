/** Finds what a sandbox must not show, by every path that leads to it, and what it shows to Whetstone's own code outside. */
import { existsSync, readFileSync } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { attempt } from '../errors/attempt.ts'
import { isSubpath } from '../fs/inside_folder.ts'
import { stateFolder } from '../fs/state_folder.ts'
import type { Sandbox, SandboxPolicy } from './policy.ts'
import { isShownBySystem, isTooWide, resolvePathFolders, tempDirRoots } from './programs.ts'
import { findUserFolder, isSystemPath } from './system.ts'

/** What an administrator set on this machine, such as npm's token of a registry, in folders of the system. */
const localSettings = ['/usr/etc', '/usr/local/etc']

export interface Place {
  /** As given, absolute. */
  path: string
  /** With its links resolved. */
  real: string
  isFolder: boolean
}

export interface HiddenPlaces {
  /** Invisible with all that is in them. */
  hidden: Place[]
  /** They appear empty, except for what is listed as readable itself. */
  cleared: Place[]
}

/**
 * Hidden: the policy's places, the user's state folder with the signing key, and the .env files and git folders around the places and
 * around the folder where Whetstone was started, unless the policy lists one as readable. Cleared: all temp directories, settings of this
 * machine, and the folders of projects and homes in folders of the system.
 */
export async function findHiddenPlaces(policy: Pick<SandboxPolicy, 'hidden' | 'readable'>): Promise<HiddenPlaces> {
  const given = await findExistingPlaces(policy.hidden)
  const readable = await findExistingPlaces(policy.readable)
  const around = await findExistingPlaces(await listSecretFiles([...listNames(given), process.cwd()]))
  const secret = around.filter(({ real }) => !readable.some((one) => one.real === real))
  const state = await findExistingPlaces([stateFolder(process.env) ?? []].flat())
  const hidden = await withAliases([...given, ...secret, ...state])
  const home = await realpath(homedir()).catch(() => homedir())
  const ofUser = [...listNames(hidden), process.cwd(), home].flatMap((one) => findUserFolder(one, isProject) ?? [])
  const cleared = await withAliases(await findExistingPlaces([...tempDirRoots(), ...localSettings, ...new Set(ofUser)]))
  return { hidden, cleared: cleared.filter((one) => !hidden.some(({ real }) => isSubpath(one.real, real))) }
}

function listNames(places: readonly Place[]): string[] {
  return places.flatMap((one) => [one.path, one.real])
}

/** Existing places of a policy, and the mounted parts of the system. */
interface ShownPlaces extends HiddenPlaces {
  system: readonly Place[]
  readable: readonly Place[]
}

/** What to mount, and what to cover where, in the words of BubblewrapRequest. Pure. */
export function planCovers({ system, readable, hidden, cleared }: ShownPlaces) {
  const emptied = cleared.map(({ real }) => real)
  const isInSystem = (place: string) => isShownBySystem(place, emptied)
  const shown = readable
    // a link in the system leads there inside too
    .map((one) => (isInSystem(one.path) ? { ...one, path: one.real } : one))
    .filter(({ path, real }) => !isInSystem(path) && !hidden.some((one) => isSubpath(real, one.real)))
  const wider = shown.filter(({ real }) => !emptied.includes(real))
  return {
    covered: findCovers(system, [...hidden, ...cleared]),
    readable: shown.map(({ path }) => path),
    cleared: findCovers(wider, cleared).map(({ path }) => path),
    hidden: findCovers(shown, hidden),
  }
}

/** Where these mounts show a hidden place: through links both may have many paths. Pure. */
export function findCovers(shown: readonly Place[], hidden: readonly Place[]): { path: string; isFolder: boolean }[] {
  // only the outermost: everything below it is covered too
  const outermost = hidden.filter(({ real }) => !hidden.some((one) => one.real !== real && isSubpath(real, one.real)))
  const found = new Map<string, boolean>()
  for (const one of shown) {
    for (const { real, isFolder } of outermost) {
      if (isSubpath(real, one.real)) found.set(path.join(one.path, path.relative(one.real, real)), isFolder)
    }
  }
  return [...found].map(([path, isFolder]) => ({ path, isFolder }))
}

export async function findExistingPlaces(paths: readonly string[]): Promise<Place[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const [info, real] = await Promise.all([stat(path), realpath(path)]).catch(() => [null, null])
      return info === null || real === null ? [] : [{ path, real, isFolder: info.isDirectory() }]
    }),
  )
  return found.flat()
}

const secretFile = /^\.(?:env(?:rc|\..+)?|git)$/

/** .env files and git folders in the folders around these places. */
async function listSecretFiles(places: readonly string[]): Promise<string[]> {
  const folders = new Set(places.flatMap(listFoldersAround))
  const found = await Promise.all(
    [...folders].map(async (folder) => {
      const names = await readdir(folder).catch(() => [])
      return names.filter((name) => secretFile.test(name)).map((name) => path.join(folder, name))
    }),
  )
  return found.flat()
}

/** The place itself and the folders above it, up to a home or the like. */
function listFoldersAround(place: string): string[] {
  const folders: string[] = []
  for (let folder = path.resolve(place); !isTooWide(folder); folder = path.dirname(folder)) folders.push(folder)
  return folders
}

const projectFiles = ['.git', '.env', 'package.json', 'pyproject.toml', 'whetstone.config.yaml']

function isProject(folder: string): boolean {
  return projectFiles.some((name) => existsSync(path.join(folder, name)))
}

async function withAliases(places: readonly Place[]): Promise<Place[]> {
  const mountInfo = attempt(() => readFileSync('/proc/self/mountinfo', 'utf8'), '') // '': not Linux
  const found = await Promise.all(
    places.map(async (place) => {
      const aliases = findMountAliases(place.real, mountInfo)
      const isSeen = await Promise.all(aliases.map(isSameFile))
      const seen = aliases.filter((_, index) => isSeen[index])
      return [place, ...(await findExistingPlaces(seen.map(({ alias }) => alias)))]
    }),
  )
  return found.flat()
}

/** False when another mount covers the alias. */
async function isSameFile({ alias, of }: MountAlias): Promise<boolean> {
  const [one, other] = await Promise.all([stat(alias), stat(of)]).catch(() => [null, null])
  return one !== null && other !== null && one.dev === other.dev && one.ino === other.ino
}

interface Mount {
  device: string
  /** The folder of the device that is mounted. */
  root: string
  at: string
}

interface MountAlias {
  alias: string
  of: string
}

/** `mountInfo`: the text of /proc/self/mountinfo (proc(5)). It also lists mounts that a later one covers. */
export function findMountAliases(real: string, mountInfo: string): MountAlias[] {
  const mounts = mountInfo.split('\n').flatMap((line) => {
    const [, , device, root, at] = line.split(' ')
    if (device === undefined || root === undefined || at === undefined) return []
    return [{ device, root: unescapePath(root), at: unescapePath(at) }]
  })
  const own = mounts.filter(({ at }) => isSubpath(real, at)).reduce<Mount | null>(pickDeeper, null)
  if (own === null) return []
  const inner = path.join(own.root, path.relative(own.at, real))
  return mounts
    .filter(({ device }) => device === own.device)
    .flatMap(({ root, at }) => {
      if (isSubpath(inner, root)) return [{ alias: path.join(at, path.relative(root, inner)), of: real }]
      return isSubpath(root, inner) ? [{ alias: at, of: path.join(real, path.relative(inner, root)) }] : []
    })
    .filter(({ alias }) => !isSubpath(alias, real))
}

/** Of two at the same place the later one is seen. */
function pickDeeper(best: Mount | null, one: Mount): Mount {
  return best === null || one.at.length >= best.at.length ? one : best
}

/** Space, tab, newline and backslash are octal. */
function unescapePath(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
}

/** canRead and canWrite take an absolute path with its links resolved. */
export interface SandboxView {
  /** The outside path of an inside path: /tmp may be a folder of the temp directory. */
  locate(inside: string): string
  canRead(real: string): boolean
  canWrite(real: string): boolean
}

/** The answers hold only while no process of the agent runs: nothing may change the place between check and use. */
export async function createSandboxView({ mechanism, policy }: Sandbox, searchPath: string): Promise<SandboxView> {
  const { hidden, cleared } = await findHiddenPlaces(policy)
  const emptied = cleared.map(({ real }) => real)
  const [writable = [], readOnly = [], readable = []] = await Promise.all(
    [
      policy.writable,
      policy.readOnly,
      [...policy.readable, ...(mechanism === 'container' ? [] : await resolvePathFolders(searchPath, emptied))],
    ].map((places) => Promise.all(places.map((place) => realpath(place).catch(() => place)))),
  )
  const isShown = (place: string) => {
    const around = emptied.filter((folder) => isSubpath(place, folder))
    if (around.length === 0) return isIn(place, readable) || isOfSystem(place)
    // of a readable folder and a cleared one, the inner one decides
    return readable.some((folder) => isSubpath(place, folder) && around.every((one) => isSubpath(folder, one)))
  }
  const isIn = (place: string, folders: readonly string[]) => folders.some((folder) => isSubpath(place, folder))
  // the system of a container is not this machine's
  const isOfSystem = (place: string) => mechanism !== 'container' && isSystemPath(place)
  const isHidden = (place: string) => hidden.some(({ real }) => isSubpath(place, real))
  const canRead = (place: string) => isIn(place, writable) || (!isHidden(place) && isShown(place))
  return {
    canRead,
    locate(inside) {
      const { places = [] } = policy
      if (places.some(({ from }) => isSubpath(inside, from))) return inside
      const shown = places.find(({ at }) => isSubpath(inside, at))
      if (shown !== undefined) return path.join(shown.from, path.relative(shown.at, inside))
      if (policy.tmp === null || !isSubpath(inside, '/tmp') || canRead(inside)) return inside
      return path.join(policy.tmp, path.relative('/tmp', inside))
    },
    canWrite: (place) => isIn(place, writable) && !isIn(place, readOnly),
  }
}
