/** From a process to the same process inside a sandbox. */
import { realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isBelow } from './below.ts'
import { type Bridge, openBridge } from './bridge.ts'
import { bubblewrapArguments } from './bubblewrap.ts'
import { limit } from './limit.ts'
import type { Sandbox, SandboxPolicy } from './policy.ts'
import { partsOfCommand, pathFolders, roomsFolder } from './programs.ts'
import { routesTo } from './routes.ts'
import { systemParts } from './system.ts'

export interface Invocation {
  command: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
}

export interface Entered extends AsyncDisposable {
  /** What to start in place of the given. */
  invocation: Invocation
}

/** Prepares the sandbox; its end closes what belongs to it outside. Rejects when something of it can't be made. */
export async function enterSandbox(outside: Invocation, { mechanism, program, policy }: Sandbox): Promise<Entered> {
  if (mechanism === 'seatbelt') return (await import('./enter_seatbelt.ts')).enterSeatbelt(outside, policy)
  const shown = await shownTo(outside, policy)
  const { env, command, args, cwd } = outside
  const link = await linkTo(outside, policy)
  try {
    const limited = await limit(policy.limits)
    const words = bubblewrapArguments({
      ...shown,
      placed: link.placed,
      cwd,
      command: [...limited.inside, ...link.before, command, ...args],
    })
    const [first = program, ...rest] = [...limited.outside, program, ...words]
    return {
      invocation: { command: first, args: rest, cwd: '/', env: { ...env, ...link.env } },
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

/** What of the policy is there on this machine. */
async function shownTo(outside: Invocation, policy: SandboxPolicy) {
  const programs = [await pathFolders(outside.env.PATH ?? ''), await partsOfCommand([outside.command])]
  if (typeof policy.network !== 'string') programs.push(await partsOfCommand([process.execPath]))
  const hidden = await existing(policy.hidden)
  const rooms = (await existing(roomsFolder())).filter(({ real }) => !hidden.some((one) => isBelow(real, one.real)))
  const found = await existing([...policy.readable, ...programs.flat()])
  const readable = found.filter(({ real }) => !hidden.some((one) => isBelow(real, one.real)))
  const readOnly = (await existing(policy.readOnly)).map(({ path }) => path)
  return {
    system: await systemParts(),
    readable: readable.map(({ path }) => path),
    cleared: covered(
      readable.filter(({ real }) => !rooms.some((one) => one.real === real)),
      rooms,
    ).map(({ path }) => path),
    hidden: covered(readable, hidden),
    policy: { ...policy, readOnly },
  }
}

interface Link {
  bridge: Bridge | null
  /** Words that go before the command. */
  before: string[]
  env: Record<string, string>
  placed: { from: string; at: string }[]
}

const noLink: Link = { bridge: null, before: [], env: {}, placed: [] }
const forwarder = { from: fileURLToPath(new URL('./forward.mjs', import.meta.url)), at: '/run/whetstone/forward.mjs' }

/** The bridge to the endpoints, where the policy names some. */
async function linkTo({ env }: Invocation, { network }: SandboxPolicy): Promise<Link> {
  if (typeof network === 'string') return noLink
  const { routes, env: more } = routesTo(network.endpoints)
  if (routes.length === 0) return noLink
  // the user's own: suiteVariables lets no suite name one
  const upstream = env.HTTPS_PROXY || env.https_proxy || null
  const isUsable = upstream !== null && URL.canParse(upstream) && new URL(upstream).protocol === 'http:'
  const bridge = await openBridge({ routes, upstream: isUsable ? upstream : null })
  const sockets = bridge.sockets.map(({ port, path: from }) => ({ port, from, path: `/run/whetstone/${port}` }))
  return {
    bridge,
    before: [process.execPath, forwarder.at, JSON.stringify(sockets.map(({ port, path }) => ({ port, path })))],
    env: more,
    placed: [forwarder, ...sockets.map(({ from, path: at }) => ({ from, at }))],
  }
}

interface Place {
  /** As it was named, absolute. */
  path: string
  /** Where it lies, its links resolved. */
  real: string
  isFolder: boolean
}

/** What is hidden, at each path at which a readable folder would show it: by links above them both have many names. */
function covered(readable: readonly Place[], hidden: readonly Place[]): { path: string; isFolder: boolean }[] {
  // the outermost alone: below it there is nothing left to cover
  const outermost = hidden.filter(({ real }) => !hidden.some((one) => one.real !== real && isBelow(real, one.real)))
  const found = new Map<string, boolean>()
  for (const shown of readable) {
    for (const { real, isFolder } of outermost) {
      if (isBelow(real, shown.real)) found.set(path.join(shown.path, path.relative(shown.real, real)), isFolder)
    }
  }
  return [...found].map(([path, isFolder]) => ({ path, isFolder }))
}

/** Those that are there. */
async function existing(paths: readonly string[]): Promise<Place[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const [info, real] = await Promise.all([stat(path), realpath(path)]).catch(() => [null, null])
      return info === null || real === null ? [] : [{ path, real, isFolder: info.isDirectory() }]
    }),
  )
  return found.flat()
}
