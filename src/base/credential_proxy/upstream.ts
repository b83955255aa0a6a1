/** How the credential proxy reaches the endpoint: directly, or through a tunnel of the user's own HTTP proxy. */
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { decodeLogin } from '../secrets/redact.ts'

export interface Upstream {
  /** The base URL of the endpoint, http or https. */
  endpoint: URL
  /** The user's own proxy, http or https; null: none. */
  userProxy: URL | null
}

export interface UpstreamConnection {
  /** Sends requests one after another over one connection, which stays open. */
  agent: HttpAgent
  close(): void
}

/** Connects with the first request. Calls `onClose` each time the endpoint's connection closes. */
export function openUpstream({ endpoint, userProxy }: Upstream, onClose: () => void): UpstreamConnection {
  const options = { keepAlive: true, maxSockets: 1 }
  const agent = endpoint.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options)
  const closing = new AbortController()
  const connectDirectly = agent.createConnection.bind(agent)
  agent.createConnection = (wanted, done) => {
    if (userProxy === null) return connectDirectly(wanted, done)?.once('close', onClose)
    openTunnel(userProxy, endpoint, closing.signal).then(
      (socket) => done?.(null, socket.once('close', onClose)),
      (error: Error) => done?.(error, new Socket()),
    )
    return undefined
  }
  return {
    agent,
    close() {
      closing.abort()
      agent.destroy()
    },
  }
}

/** A connection to the endpoint through CONNECT, with TLS inside when the endpoint uses TLS. */
function openTunnel(proxy: URL, endpoint: URL, signal: AbortSignal): Promise<Socket> {
  const isTls = endpoint.protocol === 'https:'
  const place = `${endpoint.hostname}:${endpoint.port || (isTls ? 443 : 80)}`
  const login = decodeLogin(`${proxy.username}:${proxy.password}`)
  const headers = login === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }
  const ask = proxy.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = ask({
      host: unbracketedHost(proxy),
      port: proxy.port || undefined,
      method: 'CONNECT',
      path: place,
      headers: { host: place, ...headers },
      agent: false,
      signal,
    })
    const refuse = (status: number | undefined) =>
      reject(new Error(`the proxy ${proxy.host} refuses a tunnel: ${status}`))
    request.once('connect', ({ statusCode }, socket) => {
      if (statusCode !== 200) {
        socket.destroy()
        refuse(statusCode)
      } else resolve(isTls ? connectTls({ socket, servername: unbracketedHost(endpoint) }) : socket)
    })
    request.once('error', reject)
    request.end()
  })
}

/** Without the brackets of an IPv6 address. */
export function unbracketedHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
