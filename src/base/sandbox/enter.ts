/** Moves a process into a sandbox. */
import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { enterContainer } from '../container.ts'
import { UserError } from '../errors/error.ts'
import { isSubpath } from '../fs/inside_folder.ts'
import { loadExeca } from '../process/execa.ts'
import { bubblewrapArguments } from './bubblewrap.ts'
import { findExistingPlaces, findHiddenPlaces, planCovers } from './hidden_places.ts'
import { firstProcessPipes, firstProcessWords } from './kernel/first_process.ts'
import { listCoveredProcEntries } from './kernel/proc.ts'
import { seccompFilter } from './kernel/seccomp.ts'
import { type Bridge, openBridge } from './network_bridge.ts'
import { planRoutes } from './network_routes.ts'
import {
  type EnteredSandbox,
  type Invocation,
  type Sandbox,
  type SandboxLimits,
  type SandboxPolicy,
  showInvocation,
  showPlace,
} from './policy.ts'
import { detectProcessLimit, makeGroup } from './process_limit.ts'
import { findCommandParts, resolvePathFolders } from './programs.ts'
import { listSystemParts } from './system.ts'

/** Prepares the sandbox; disposal closes its parts outside. Rejects when a part can't be created. */
export async function enterSandbox(
  outside: Invocation & { signal?: AbortSignal },
  sandbox: Sandbox,
): Promise<EnteredSandbox> {
  const { mechanism, program, policy } = sandbox
  if (mechanism === 'container') return enterContainer(outside, sandbox)
  if (mechanism === 'seatbelt') return (await import('./enter_seatbelt.ts')).enterSeatbelt(outside, policy)
  const filter = seccompFilter(process.arch)
  if (filter === null) throw new UserError(`no sandbox on ${process.arch}`, 'use an x64 or arm64 machine')
  const shown = await findExistingPolicy(outside, policy)
  const { env, command, args, cwd } = showInvocation(outside, policy.places)
  const link = await openLink(outside, policy)
  try {
    const limited = await prepareLimits(policy.limits)
    clearMountPaths(policy, listMounts(shown, link.placed))
    const words = bubblewrapArguments({
      ...shown,
      coveredProc: listCoveredProcEntries(),
      userNamespace: process.getuid?.() === 0 && (await hasUserNamespace(program)),
      placed: link.placed,
      cwd,
      command: [...firstProcessWords(limited.inside), ...link.before, command, ...args],
    })
    const [first = program, ...rest] = [...limited.outside, program, ...words]
    return {
      invocation: {
        command: first,
        args: rest,
        cwd: '/',
        env: { ...env, ...link.env },
        pipes: firstProcessPipes(filter),
      },
      async [Symbol.asyncDispose]() {
        await link.bridge?.[Symbol.asyncDispose]()
        await limited.end()
      },
    }
  } catch (error) {
    await link.bridge?.[Symbol.asyncDispose]()
    throw error
  }
}

async function findExistingPolicy(outside: Invocation, policy: SandboxPolicy) {
  const { hidden, cleared } = await findHiddenPlaces(policy)
  const emptied = cleared.map(({ real }) => real)
  const programs = [
    await resolvePathFolders(outside.env.PATH ?? '', emptied),
    await findCommandParts([outside.command]),
  ]
  if (typeof policy.network !== 'string') programs.push(await findCommandParts([process.execPath]))
  const readable = await findExistingPlaces([...policy.readable, ...programs.flat()])
  const parts = await listSystemParts()
  const system = await findExistingPlaces(parts.flatMap((part) => (part.kind === 'link' ? [] : [part.path])))
  const readOnly = (await findExistingPlaces(policy.readOnly)).map(({ path }) => path)
  return {
    system: parts,
    ...planCovers({ system, readable, hidden, cleared }),
    policy: { ...policy, readOnly },
  }
}

type ShownParts = Awaited<ReturnType<typeof findExistingPolicy>>

/** `from` null: it shows nothing of this machine. */
type Mount = { from: string | null; at: string }

function listMounts({ readable, hidden, policy }: ShownParts, placed: Link['placed']): Mount[] {
  const { writable, readOnly, scratch, places } = policy
  const shown = [...readable, ...writable, ...readOnly].map((from) => ({ from, at: showPlace(from, places) }))
  return [...shown, ...[...hidden.map(({ path }) => path), ...scratch].map((at) => ({ from: null, at })), ...placed]
}

interface Link {
  bridge: Bridge | null
  /** Words that go before the command. */
  before: string[]
  env: Record<string, string>
  placed: { from: string; at: string }[]
}

const noLink: Link = { bridge: null, before: [], env: {}, placed: [] }
const forwarder = { from: fileURLToPath(new URL('./forward.mjs', import.meta.url)), at: '/run/bridge/forward.mjs' }

/** The bridge to the endpoints that the policy names, if any. */
async function openLink({ env }: Invocation, { network }: SandboxPolicy): Promise<Link> {
  if (typeof network === 'string') return noLink
  const { routes, env: more } = planRoutes(network.endpoints)
  if (routes.length === 0) return noLink
  // the user's own: suiteVariables lets no suite name one
  const upstream = env.HTTPS_PROXY || env.https_proxy || null
  const isUsable = upstream !== null && URL.canParse(upstream) && new URL(upstream).protocol === 'http:'
  const bridge = await openBridge({ routes, upstream: isUsable ? upstream : null })
  const sockets = bridge.sockets.map(({ port, path: from }) => ({ port, from, path: `/run/bridge/${port}` }))
  return {
    bridge,
    before: [process.execPath, forwarder.at, JSON.stringify(sockets.map(({ port, path }) => ({ port, path })))],
    env: more,
    placed: [forwarder, ...sockets.map(({ from, path: at }) => ({ from, at }))],
  }
}

const namespaceTrials = new Map<string, Promise<boolean>>()

/**
 * Checked once per program. An ordinary user's sandbox always has a user namespace, because bubblewrap can't start without one.
 * Root's works without one too, for instance in a container that forbids them.
 */
function hasUserNamespace(bubblewrap: string): Promise<boolean> {
  const isThere = namespaceTrials.get(bubblewrap) ?? tryUserNamespace(bubblewrap)
  namespaceTrials.set(bubblewrap, isThere)
  return isThere
}

async function tryUserNamespace(bubblewrap: string): Promise<boolean> {
  const args = ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', '--', '/bin/sh', '-c', ':']
  return !(await loadExeca().execa(bubblewrap, args, { timeout: 10_000, reject: false })).failed
}

interface CommandLimits {
  /** Words that go before the sandbox's program. */
  outside: string[]
  /** Commands for the shell that starts the command. */
  inside: string
  /** Removes the process group of the limit. */
  end(): Promise<void>
}

/** A shell counts file sizes in blocks of 512 bytes. */
const block = 512

/** Rejects with the system's error when a group can't be created. */
async function prepareLimits({ fileBytes, processes }: SandboxLimits): Promise<CommandLimits> {
  const there = detectProcessLimit()
  const files = `ulimit -f ${Math.ceil(fileBytes / block)}`
  // bash takes -u, dash -p; a lower limit of the user's own stays in force
  const inside = there.kind === 'user' ? `${files}; ulimit -u ${processes} || ulimit -p ${processes}` : files
  if (there.kind !== 'cgroup') return { outside: [], inside, end: async () => {} }
  const group = await makeGroup(there.folder, processes)
  return { outside: ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', group.joinFile], inside, end: group.end }
}

/**
 * Removes links and files that were left in the way of these mounts (absolute paths inside). bubblewrap creates mount
 * points before it locks the machine away: it would follow such a link out of the sandbox.
 */
function clearMountPaths({ tmp, places, writable }: SandboxPolicy, mounts: Mount[]): void {
  const own = writable.map((from) => ({ from, at: showPlace(from, places) })).filter(({ from, at }) => from !== at)
  const shared = [...own, ...(tmp === null ? [] : [{ from: tmp, at: '/tmp' }])]
  for (const mount of mounts) {
    for (const { from, at } of shared) {
      const inside = path.relative(at, mount.at)
      const isOther = isSubpath(mount.at, at) && path.join(from, inside) !== mount.from
      if (isOther && inside !== '') clearPath(from, inside.split(path.sep))
    }
  }
}

function clearPath(folder: string, parts: readonly string[]): void {
  let place = folder
  for (const [index, part] of parts.entries()) {
    place = path.join(place, part)
    const info = lstatSync(place, { throwIfNoEntry: false })
    if (info === undefined) return
    if (!info.isDirectory()) {
      if (index < parts.length - 1 || !info.isFile()) unlinkSync(place)
      return
    }
    if ((info.mode & 0o700) !== 0o700) chmodSync(place, info.mode | 0o700)
  }
}
