/** `fetch` that uses the user's HTTP proxy, as curl and most programs do; Node 20's own ignores HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
import { findUserProxy } from '../credential_proxy/user_proxy.ts'

/** One for each proxy, because it keeps connections open. */
const agents = new Map<string, import('undici').ProxyAgent>()

/** Addresses of this machine, and those in NO_PROXY, are reached directly. */
export const fetchByProxy: typeof fetch = async (input, init) => {
  const address = new URL(input instanceof Request ? input.url : input)
  const proxy = findUserProxy(address, process.env)
  if (proxy === null) return fetch(input, init)
  const undici = await import('undici')
  const dispatcher = agents.get(proxy.href) ?? new undici.ProxyAgent(proxy.href)
  agents.set(proxy.href, dispatcher)
  // one Request has what both arguments say, and the bytes of any kind of body
  const asked = new Request(input, init)
  const bytes = asked.body === null ? null : await asked.arrayBuffer()
  const answer = await undici.fetch(address, {
    method: asked.method,
    headers: Object.fromEntries(asked.headers),
    body: bytes,
    signal: asked.signal,
    redirect: asked.redirect,
    dispatcher,
  })
  return answer as unknown as Response // the same standard type, declared twice
}
