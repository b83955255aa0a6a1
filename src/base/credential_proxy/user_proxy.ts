/** Finds the user's own proxy for an address, from the environment variables that programs commonly read. Pure. */
import { isLoopback } from '../sandbox/network_routes.ts'
import { unbracketedHost } from './upstream.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** null: the address needs no proxy. Only http and https proxies are supported. */
export function findUserProxy(address: URL, env: Environment): URL | null {
  if (isLoopback(unbracketedHost(address)) || isExcluded(address, env.no_proxy || env.NO_PROXY || '')) return null
  const given = address.protocol === 'https:' ? env.https_proxy || env.HTTPS_PROXY : env.http_proxy || env.HTTP_PROXY
  const proxy = given && URL.canParse(given) ? new URL(given) : null
  return proxy !== null && /^https?:$/.test(proxy.protocol) ? proxy : null
}

/** By host, by domain (with or without a leading dot or `*.`), with or without a port; `*` matches everything. */
function isExcluded(address: URL, list: string): boolean {
  const port = address.port || (address.protocol === 'https:' ? '443' : '80')
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
      if (only !== undefined && only !== port) return false
      const domain = name.replace(/^\*?\./, '')
      return name === '*' || address.hostname === domain || address.hostname.endsWith(`.${domain}`)
    })
}

/** The variables with which programs reach this host directly; empty when the environment has no proxy. */
export function proxyBypassEnv(host: string, env: Environment): Record<string, string> {
  const hasProxy = Object.entries(env).some(([name, value]) => /^(https?|all)_proxy$/i.test(name) && value)
  if (!hasProxy) return {}
  const list = [env.no_proxy || env.NO_PROXY, host].filter(Boolean).join(',')
  return { NO_PROXY: list, no_proxy: list }
}
