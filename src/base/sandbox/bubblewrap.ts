/** Builds the command line of bubblewrap for a policy. Pure: the caller passes the facts about this machine. */
import path from 'node:path'
import { isSubpath } from '../fs/inside_folder.ts'
import { filterDescriptor } from './kernel/first_process.ts'
import type { CoveredEntry } from './kernel/proc.ts'
import { type SandboxPolicy, showPlace } from './policy.ts'

/** One part of the machine as it appears inside. `link`: a symbolic link to `to`. */
export type SystemPart = { kind: 'folder' | 'file'; path: string } | { kind: 'link'; path: string; to: string }

export interface BubblewrapRequest {
  policy: Pick<SandboxPolicy, 'writable' | 'readOnly' | 'scratch' | 'network' | 'places' | 'tmp' | 'limits'>
  system: readonly SystemPart[]
  coveredProc: readonly CoveredEntry[]
  /** Ask for a user namespace; an ordinary user always gets one. */
  userNamespace: boolean
  /** Existing files and folders within a part of the system that stay invisible, unless they are listed as readable. */
  covered: readonly CoveredEntry[]
  /** Existing readable files and folders, absolute. */
  readable: readonly string[]
  /** Existing folders within a readable folder that appear empty, except for what is listed itself. */
  cleared: readonly string[]
  /** Existing files and folders within a readable folder that stay invisible. */
  hidden: readonly CoveredEntry[]
  /** A file of the host at another place inside (the bridge). */
  placed: readonly { from: string; at: string }[]
  /** As it is inside. */
  cwd: string
  /** The program and its arguments. */
  command: readonly string[]
}

/** Own namespaces except network and user; ends with its parent; no terminal to type into; no capabilities; a system call filter. */
const shell = [
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--die-with-parent',
  '--as-pid-1',
  '--new-session',
  '--cap-drop',
  'ALL',
  '--seccomp',
  String(filterDescriptor),
]

/**
 * The arguments for `bwrap`. Later mounts cover earlier ones: covered over the system, hidden over readable, writable over all. Empty
 * folders end read-only.
 */
export function bubblewrapArguments(inside: BubblewrapRequest): string[] {
  const { policy, cwd } = inside
  const { places, scratch, writable } = policy
  const isShownElsewhere = (path: string) => showPlace(path, places) !== path
  const inPlace = (paths: readonly string[]) => parentsFirst(paths.filter((path) => !isShownElsewhere(path)))
  const pinned = pinnedFolders(policy)
  const size = ['--size', String(policy.limits.tmpBytes), '--tmpfs']
  return [
    ...shell,
    ...(inside.userNamespace ? ['--unshare-user'] : []),
    ...(policy.network === 'open' ? [] : ['--unshare-net']),
    ...inside.system.flatMap((part) =>
      part.kind === 'link' ? ['--symlink', part.to, part.path] : ['--ro-bind', part.path, part.path],
    ),
    ...inside.covered.flatMap(coverArguments),
    ...procArguments(inside.coveredProc),
    ...['--dev', '/dev', ...size, '/dev/shm', '--dir', '/var/tmp', '--dir', '/run'],
    ...(policy.tmp === null ? [...size, '/tmp'] : ['--bind', policy.tmp, '/tmp']),
    // before what is readable, because a program may be in a folder that a place covers
    ...placeArguments([...inside.readable, ...writable, ...pinned].filter(isShownElsewhere), policy),
    ...inPlace([...inside.readable, ...inside.cleared]).flatMap((path) =>
      inside.cleared.includes(path) ? ['--tmpfs', path] : ['--ro-bind', path, path],
    ),
    ...inside.hidden.flatMap(coverArguments),
    ...parentsFirst(scratch)
      .filter((path) => !places?.some(({ at }) => isSubpath(at, path)))
      .flatMap((path) => ['--size', scratchShare(policy), '--tmpfs', path]),
    ...inPlace([...writable, ...pinned]).flatMap((path) => ['--bind', path, path]),
    ...parentsFirst(policy.readOnly).flatMap((path) => ['--ro-bind', path, showPlace(path, places)]),
    ...inside.placed.flatMap(({ from, at }) => ['--ro-bind', from, at]),
    ...[...inside.cleared, ...listEmptyFolders(inside)].flatMap((path) => ['--remount-ro', path]),
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', cwd, '--', ...inside.command],
  ]
}

/** Folders at other paths. What is readable below a writable folder is writable. */
function placeArguments(folders: readonly string[], { places, writable }: BubblewrapRequest['policy']): string[] {
  const shown = new Map(folders.map((path) => [showPlace(path, places), path]))
  return parentsFirst([...shown.keys()]).flatMap((at) => {
    const from = shown.get(at) ?? at
    return [writable.some((folder) => isSubpath(from, folder)) ? '--bind' : '--ro-bind', from, at]
  })
}

function coverArguments({ path, isFolder }: CoveredEntry): string[] {
  return isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]
}

/** Scratch folders are in memory: together they get the size of one /tmp, however many a suite asks for. */
function scratchShare({ scratch, limits }: BubblewrapRequest['policy']): string {
  return String(Math.max(4096, Math.floor(limits.tmpBytes / scratch.length)))
}

/** Its own processes, kernel settings read-only (bubblewrap leaves /proc/sys writable to root), and no entry that reaches the host. */
function procArguments(covered: readonly CoveredEntry[]): string[] {
  return [
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    ...covered.flatMap(({ path, isFolder }) =>
      isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
    ),
  ]
}

/** The folders between a writable folder and its read-only parts: a mount point can't be renamed, so the parts stay in place. */
function pinnedFolders({ writable, readOnly }: Pick<SandboxPolicy, 'writable' | 'readOnly'>): string[] {
  return readOnly.flatMap((place) => {
    const between: string[] = []
    const isInside = (folder: string) => writable.some((root) => root !== folder && isSubpath(folder, root))
    for (let folder = path.dirname(place); isInside(folder); folder = path.dirname(folder)) between.push(folder)
    return between
  })
}

/** The empty folders in place of hidden ones, but for those of the system where a later mount is. */
function listEmptyFolders({ covered, hidden, readable, policy }: BubblewrapRequest): string[] {
  const { places = [], scratch, writable } = policy
  const later = [...places.map(({ at }) => at), ...readable, ...scratch, ...writable]
  const empty = covered.filter((one) => !later.some((place) => isSubpath(one.path, place)))
  return [...empty, ...hidden].filter(({ isFolder }) => isFolder).map(({ path }) => path)
}

function parentsFirst(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort()
}
