/** The command line of bubblewrap for a policy. Pure: what is on this machine is told to it. */
import type { SandboxPolicy } from './policy.ts'

/** One part of the machine as it shall appear inside. `link`: a symbolic link to `to`. */
export type SystemPart = { kind: 'folder' | 'file'; path: string } | { kind: 'link'; path: string; to: string }

export interface Inside {
  policy: Pick<SandboxPolicy, 'writable' | 'readOnly' | 'scratch' | 'network' | 'tmp' | 'limits'>
  /** Parts of the system, all read-only. */
  system: readonly SystemPart[]
  /** Existing files and folders to read, absolute. */
  readable: readonly string[]
  /** Existing folders within a readable folder of which only what is named itself is seen. */
  cleared: readonly string[]
  /** Existing things within a readable folder that shall not be seen. */
  hidden: readonly { path: string; isFolder: boolean }[]
  /** A file of the host at another place inside (the bridge). */
  placed: readonly { from: string; at: string }[]
  cwd: string
  /** The program and its arguments. */
  command: readonly string[]
}

/** Every namespace of its own but the network's; ends with its starter; no terminal to type into; no capability. */
const shell = [
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
]

/** The arguments for `bwrap`. Later mounts lie over earlier ones: what is hidden over what is readable, what is writable over all; then what is empty is closed. */
export function bubblewrapArguments(inside: Inside): string[] {
  const { policy, cwd } = inside
  const size = ['--size', String(policy.limits.tmpBytes), '--tmpfs']
  return [
    ...shell,
    ...(policy.network === 'open' ? [] : ['--unshare-net']),
    ...inside.system.flatMap((part) =>
      part.kind === 'link' ? ['--symlink', part.to, part.path] : ['--ro-bind', part.path, part.path],
    ),
    ...['--proc', '/proc', '--dev', '/dev', ...size, '/dev/shm', '--dir', '/var/tmp', '--dir', '/run'],
    ...(policy.tmp === null ? [...size, '/tmp'] : ['--bind', policy.tmp, '/tmp']),
    ...parentsFirst([...inside.readable, ...inside.cleared]).flatMap((path) =>
      inside.cleared.includes(path) ? ['--tmpfs', path] : ['--ro-bind', path, path],
    ),
    ...inside.hidden.flatMap(({ path, isFolder }) => (isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path])),
    ...parentsFirst(policy.scratch).flatMap((path) => [...size, path]),
    ...parentsFirst(policy.writable).flatMap((path) => ['--bind', path, path]),
    ...parentsFirst(policy.readOnly).flatMap((path) => ['--ro-bind', path, path]),
    ...inside.placed.flatMap(({ from, at }) => ['--ro-bind', from, at]),
    ...[...inside.cleared, ...emptied(inside)].flatMap((path) => ['--remount-ro', path]),
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', cwd, '--', ...inside.command],
  ]
}

function emptied({ hidden }: Inside): string[] {
  return hidden.filter(({ isFolder }) => isFolder).map(({ path }) => path)
}

function parentsFirst(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort()
}
