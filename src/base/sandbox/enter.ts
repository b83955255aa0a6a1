/** From a process to the same process inside a sandbox. */
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { isBelow } from './below.ts'
import { type Bridge, openBridge } from './bridge.ts'
import { bubblewrapArguments } from './bubblewrap.ts'
import { limit } from './limit.ts'
import type { Sandbox, SandboxPolicy } from './policy.ts'
import { partsOfCommand, pathFolders } from './programs.ts'
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
  const found = await existing([...policy.readable, ...programs.flat()])
  const readable = found.map(({ path }) => path).filter((path) => !policy.hidden.some((root) => isBelow(path, root)))
  // the outermost alone: below it there is nothing left to cover
  const outermost = policy.hidden.filter((path) => !policy.hidden.some((root) => root !== path && isBelow(path, root)))
  const hidden = await existing(outermost.filter((path) => readable.some((root) => isBelow(path, root))))
  const readOnly = (await existing(policy.readOnly)).map(({ path }) => path)
  return { system: await systemParts(), readable, hidden, policy: { ...policy, readOnly } }
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

async function existing(paths: readonly string[]): Promise<{ path: string; isFolder: boolean }[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const info = await stat(path).catch(() => null)
      return info === null ? [] : [{ path, isFolder: info.isDirectory() }]
    }),
  )
  return found.flat()
}
