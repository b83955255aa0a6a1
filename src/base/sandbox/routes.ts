/** How endpoints are reached from a network of its own: loopback ones at their own port, all others through a proxy. Pure. */

/** One listening port inside, and what stands behind it outside. */
export type Route =
  | { kind: 'direct'; port: number; host: string }
  | { kind: 'proxy'; port: number; allowed: readonly { host: string; port: number }[] }

export interface Routes {
  routes: Route[]
  /** What a program inside needs to know. */
  env: Record<string, string>
}

const proxyPort = 3128

/** Endpoints that are no web address reach nothing. */
export function routesTo(endpoints: readonly string[]): Routes {
  const all = [...new Set(endpoints)].filter((url) => URL.canParse(url)).map((url) => new URL(url))
  const targets = all.map((url) => ({ host: url.hostname.replace(/^\[|\]$/g, ''), port: portOf(url) }))
  const direct = targets.filter(({ host }) => isLoopback(host))
  const allowed = targets.filter(({ host }) => !isLoopback(host))
  const ports = new Map(direct.map(({ host, port }) => [port, host]))
  const routes: Route[] = [...ports].map(([port, host]) => ({ kind: 'direct', port, host }))
  if (allowed.length === 0) return { routes, env: noProxy }
  let port = proxyPort
  while (ports.has(port)) port += 1
  routes.push({ kind: 'proxy', port, allowed })
  return { routes, env: proxyEnv(`http://127.0.0.1:${port}`) }
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** A user's own proxy is not there inside; it is used outside. */
const noProxy = { HTTP_PROXY: '', HTTPS_PROXY: '', http_proxy: '', https_proxy: '', NO_PROXY: '*', no_proxy: '*' }

/** What tells programs of a proxy; of '' that there is none. */
export function proxyEnv(url: string): Record<string, string> {
  const local = 'localhost,127.0.0.1,::1'
  return {
    ...{ HTTP_PROXY: url, HTTPS_PROXY: url, http_proxy: url, https_proxy: url, NO_PROXY: local, no_proxy: local },
    NODE_USE_ENV_PROXY: '1',
  }
}
