/** Moves a process into Seatbelt. Not verified on a Mac. */
import { stat } from 'node:fs/promises'
import { findHiddenPlaces } from './hidden_places.ts'
import type { EnteredSandbox, Invocation } from './invocation.ts'
import { type Bridge, openBridge } from './network_bridge.ts'
import { planRoutes, proxyEnv } from './network_routes.ts'
import type { SandboxPolicy } from './policy.ts'
import { findCommandParts, resolvePathFolders } from './programs.ts'
import { buildSeatbeltCommand, seatbeltEnvironment } from './seatbelt.ts'

/** The process reaches loopback endpoints directly, and all others through Whetstone's proxy on its own port. */
export async function enterSeatbelt(outside: Invocation, policy: SandboxPolicy): Promise<EnteredSandbox> {
  const { routes } = planRoutes(typeof policy.network === 'string' ? [] : policy.network.endpoints)
  const direct = routes.flatMap((route) => (route.kind === 'direct' ? [route.port] : []))
  const proxied = routes.filter((route) => route.kind === 'proxy')
  const bridge = proxied.length === 0 ? null : await openBridge({ routes: proxied, upstream: null, tcp: true })
  const port = bridge?.sockets[0]?.at ?? null
  const { hidden } = await findHiddenPlaces(policy)
  const wanted = [
    ...policy.readable,
    ...(await resolvePathFolders(outside.env.PATH ?? '', [])),
    ...(await findCommandParts([outside.command])),
  ]
  try {
    const command = await buildSeatbeltCommand({
      policy: { ...policy, hidden: [...new Set([...policy.hidden, ...hidden.map(({ real }) => real)])] },
      readable: await findExistingPaths(wanted),
      ports: [...(port === null ? [] : [port]), ...direct],
      env: { ...seatbeltEnvironment(outside.env), ...proxyEnv(port === null ? '' : `http://127.0.0.1:${port}`) },
      command: [outside.command, ...outside.args],
    })
    return seatbeltSandbox(outside, command, bridge)
  } catch (error) {
    await bridge?.[Symbol.asyncDispose]()
    throw error
  }
}

function seatbeltSandbox(outside: Invocation, command: string, bridge: Bridge | null): EnteredSandbox {
  return {
    invocation: { ...outside, command: '/bin/sh', args: ['-c', command] },
    [Symbol.asyncDispose]: async () => bridge?.[Symbol.asyncDispose](),
  }
}

async function findExistingPaths(places: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    places.map((place) =>
      stat(place).then(
        () => [place],
        () => [],
      ),
    ),
  )
  return [...new Set(found.flat())]
}
