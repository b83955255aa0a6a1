/** From a process to the same process inside a sandbox. */
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { isBelow } from './below.ts'
import { type Bridge, openBridge } from './bridge.ts'
import { bubblewrapArguments } from './bubblewrap.ts'
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
export async function enterSandbox(outside: Invocation, { program, policy }: Sandbox): Promise<Entered> {
  const link = await linkTo(outside, policy)
  const programs = [await pathFolders(outside.env.PATH ?? ''), await partsOfCommand([outside.command]), link.readable]
  const wanted = [...policy.readable, ...programs.flat()]
  const found = (await Promise.all(wanted.map(kindOf))).filter((one) => one !== null).map(({ path }) => path)
  const readable = found.filter((path) => !policy.hidden.some((root) => isBelow(path, root)))
  const covered = policy.hidden.filter((path) => readable.some((root) => isBelow(path, root)))
  const hidden = (await Promise.all(covered.map(kindOf))).filter((one) => one !== null)
  const system = await systemParts()
  const command = [...link.before, outside.command, ...outside.args]
  const readOnly = (await Promise.all(policy.readOnly.map(kindOf))).flatMap((one) => one?.path ?? [])
  const args = bubblewrapArguments({
    ...{ system, readable, hidden, command },
    policy: { ...policy, readOnly },
    placed: link.placed,
    cwd: outside.cwd,
  })
  return {
    invocation: { command: program, args, cwd: '/', env: { ...outside.env, ...link.env } },
    [Symbol.asyncDispose]: async () => link.bridge?.[Symbol.asyncDispose](),
  }
}

interface Link {
  bridge: Bridge | null
  /** Words that go before the command. */
  before: string[]
  env: Record<string, string>
  readable: string[]
  placed: { from: string; at: string }[]
}

const noLink: Link = { bridge: null, before: [], env: {}, readable: [], placed: [] }
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
  const { execPath } = process
  return {
    bridge,
    before: [execPath, forwarder.at, JSON.stringify(sockets.map(({ port, path }) => ({ port, path })))],
    env: more,
    readable: await partsOfCommand([execPath]),
    placed: [forwarder, ...sockets.map(({ from, path: at }) => ({ from, at }))],
  }
}

async function kindOf(path: string): Promise<{ path: string; isFolder: boolean } | null> {
  const info = await stat(path).catch(() => null)
  return info === null ? null : { path, isFolder: info.isDirectory() }
}
