/** How a process in its own network reaches endpoints: loopback ones at their own port, all others through a proxy. Pure. */

/** One listening port inside, and its target outside. */
export type BridgeRoute =
  | { kind: 'direct'; port: number; host: string }
  | { kind: 'proxy'; port: number; allowed: readonly { host: string; port: number }[] }

export interface BridgeRoutes {
  routes: BridgeRoute[]
  /** Variables for the programs inside. */
  env: Record<string, string>
}

const proxyPort = 3128

export function planRoutes(endpoints: readonly string[]): BridgeRoutes {
  const all = [...new Set(endpoints)].filter((url) => URL.canParse(url)).map((url) => new URL(url))
  const targets = all.map(readTarget)
  const direct = targets.filter(({ host }) => isLoopback(host))
  const allowed = targets.filter(({ host }) => !isLoopback(host))
  const ports = new Map(direct.map(({ host, port }) => [port, host]))
  const routes: BridgeRoute[] = [...ports].map(([port, host]) => ({ kind: 'direct', port, host }))
  if (allowed.length === 0) return { routes, env: noProxy }
  let port = proxyPort
  while (ports.has(port)) port += 1
  routes.push({ kind: 'proxy', port, allowed })
  return { routes, env: proxyEnv(`http://127.0.0.1:${port}`) }
}

/** Host without the brackets of IPv6, and port, of an http or https address. */
export function readTarget({ hostname, port, protocol }: URL): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (protocol === 'http:' ? 80 : 443)) }
}

/** Whether a host name is this machine's own loopback; an IPv6 address without brackets. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** A user's own proxy does not exist inside; the bridge uses it outside. */
const noProxy = { HTTP_PROXY: '', HTTPS_PROXY: '', http_proxy: '', https_proxy: '', NO_PROXY: '*', no_proxy: '*' }

/** The variables that make programs use a proxy; '': none. */
export function proxyEnv(url: string): Record<string, string> {
  const local = 'localhost,127.0.0.1,::1'
  return {
    ...{ HTTP_PROXY: url, HTTPS_PROXY: url, http_proxy: url, https_proxy: url, NO_PROXY: local, no_proxy: local },
    NODE_USE_ENV_PROXY: '1',
  }
}
