/** From a process to the same process inside Seatbelt. Not yet proven on a Mac. */
import { stat } from 'node:fs/promises'
import { type Bridge, openBridge } from './bridge.ts'
import type { Entered, Invocation } from './enter.ts'
import type { SandboxPolicy } from './policy.ts'
import { partsOfCommand, pathFolders } from './programs.ts'
import { proxyEnv, routesTo } from './routes.ts'
import { seatbeltCommand, seatbeltEnvironment } from './seatbelt.ts'

/** Loopback endpoints are reached as they are; all others by a proxy of ours on a port of its own. */
export async function enterSeatbelt(outside: Invocation, policy: SandboxPolicy): Promise<Entered> {
  const { routes } = routesTo(typeof policy.network === 'string' ? [] : policy.network.endpoints)
  const direct = routes.flatMap((route) => (route.kind === 'direct' ? [route.port] : []))
  const proxied = routes.filter((route) => route.kind === 'proxy')
  const bridge = proxied.length === 0 ? null : await openBridge({ routes: proxied, upstream: null, tcp: true })
  const port = bridge?.sockets[0]?.at ?? null
  const wanted = [
    ...policy.readable,
    ...(await pathFolders(outside.env.PATH ?? '')),
    ...(await partsOfCommand([outside.command])),
  ]
  try {
    const command = await seatbeltCommand({
      policy,
      readable: await present(wanted),
      ports: [...(port === null ? [] : [port]), ...direct],
      env: { ...seatbeltEnvironment(outside.env), ...proxyEnv(port === null ? '' : `http://127.0.0.1:${port}`) },
      command: [outside.command, ...outside.args],
    })
    return entered(outside, command, bridge)
  } catch (error) {
    await bridge?.[Symbol.asyncDispose]()
    throw error
  }
}

function entered(outside: Invocation, command: string, bridge: Bridge | null): Entered {
  return {
    invocation: { ...outside, command: '/bin/sh', args: ['-c', command] },
    [Symbol.asyncDispose]: async () => bridge?.[Symbol.asyncDispose](),
  }
}

async function present(places: readonly string[]): Promise<string[]> {
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
