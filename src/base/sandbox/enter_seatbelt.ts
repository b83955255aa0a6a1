/** Moves a process into Seatbelt. Not verified on a Mac. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { isSubpath } from '../fs/inside_folder.ts'
import { quoteWord } from '../package_root.ts'
import { findHiddenPlaces } from './hidden_places.ts'
import { openBridge } from './network_bridge.ts'
import { planRoutes, proxyEnv } from './network_routes.ts'
import type { EnteredSandbox, Invocation, SandboxPolicy } from './policy.ts'
import { findCommandParts, resolvePathFolders } from './programs.ts'

/** The process reaches loopback endpoints directly, and all others through Whetstone's proxy on its own port. */
export async function enterSeatbelt(outside: Invocation, policy: SandboxPolicy): Promise<EnteredSandbox> {
  const { routes } = planRoutes(typeof policy.network === 'string' ? [] : policy.network.endpoints)
  const direct = routes.flatMap((route) => (route.kind === 'direct' ? [route.port] : []))
  const proxied = routes.filter((route) => route.kind === 'proxy')
  const bridge = proxied.length === 0 ? null : await openBridge({ routes: proxied, upstream: null, tcp: true })
  const port = bridge?.sockets[0]?.at ?? null
  const { hidden } = await findHiddenPlaces(policy)
  const { PATH = '', HOME = '/', TMPDIR = path.join(HOME, 'tmp') } = outside.env // macOS has no separate /tmp
  const wanted = [
    ...policy.readable,
    ...(await resolvePathFolders(PATH, [])),
    ...(await findCommandParts([outside.command])),
  ]
  try {
    const command = await buildSeatbeltCommand({
      policy: { ...policy, hidden: [...new Set([...policy.hidden, ...hidden.map(({ real }) => real)])] },
      readable: [...new Set(wanted.filter((place) => existsSync(place)))],
      ports: [...(port === null ? [] : [port]), ...direct],
      env: { TMPDIR, ...proxyEnv(port === null ? '' : `http://127.0.0.1:${port}`) },
      command: [outside.command, ...outside.args],
    })
    return {
      invocation: { ...outside, command: '/bin/sh', args: ['-c', command] },
      [Symbol.asyncDispose]: async () => bridge?.[Symbol.asyncDispose](),
    }
  } catch (error) {
    await bridge?.[Symbol.asyncDispose]()
    throw error
  }
}

interface SeatbeltRequest {
  policy: Pick<SandboxPolicy, 'writable' | 'readOnly' | 'hidden' | 'network' | 'scratch'>
  /** Readable files and folders in addition to the system's: the policy's and those of programs, absolute. */
  readable: readonly string[]
  /** Loopback ports of this machine that lead to endpoints; at most two are allowed. */
  ports: readonly number[]
  /** Set inside; overrides the profile's own proxies and temporary folder. */
  env: Readonly<Record<string, string>>
  command: readonly string[]
}

/** Places of users, other runs and other disks. The rest of the system is readable, because programs in Seatbelt need it. */
const deniedFolders = [
  '/Users',
  '/Volumes',
  '/home',
  '/tmp',
  '/private/tmp',
  '/var/folders',
  '/private/var/folders',
  '/var/root',
]

/** The command for `/bin/sh -c`. Rejects when the package is not installed. */
export async function buildSeatbeltCommand(request: SeatbeltRequest): Promise<string> {
  const { wrapCommandWithSandboxMacOS } = await import(
    '@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js'
  )
  const { policy, readable, ports, env, command } = request
  const [httpProxyPort, socksProxyPort] = ports
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const isShown = (place: string) =>
    !policy.hidden.some((hidden) => isSubpath(hidden, place) || isSubpath(place, hidden))
  return wrapCommandWithSandboxMacOS({
    command: ['/usr/bin/env', '-u', 'JAVA_TOOL_OPTIONS', ...settings, ...command].map(quoteWord).join(' '),
    needsNetworkRestriction: policy.network !== 'open',
    ...(httpProxyPort === undefined ? {} : { httpProxyPort }),
    ...(socksProxyPort === undefined ? {} : { socksProxyPort }),
    readConfig: {
      denyOnly: [...deniedFolders, ...policy.hidden],
      // a folder with something hidden in it is not shown at all: the profile can't cover a part of it
      allowWithinDeny: [...readable.filter(isShown), ...policy.writable],
    },
    writeConfig: { allowOnly: [...policy.writable], denyWithinAllow: [...policy.readOnly] },
    binShell: '/bin/sh',
  })
}
