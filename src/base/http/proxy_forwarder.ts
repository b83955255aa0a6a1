/** Keeps the login of the user's own proxy from a child process: it gets a forwarder on loopback, which adds the login to requests. */
import { createServer, type IncomingMessage, request as requestHttp, type Server, type ServerResponse } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Server as NetServer } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { decodeLogin, findProxyLogin, type ProxyLogin } from '../secrets/redact.ts'

type Environment = Readonly<Record<string, string>>

export function hasProxyLogin(env: Environment): boolean {
  return Object.entries(env).some(([name, value]) => findProxyLogin(name, value) !== null)
}

interface ProxyForwarder extends AsyncDisposable {
  /** The environment with addresses of the forwarder. A variable is missing if the forwarder can't use its proxy. */
  env: Record<string, string>
}

/** Opens a port of 127.0.0.1 for each proxy with a login. Disposal closes all connections. Rejects when it can't listen. */
export async function openProxyForwarder(env: Environment): Promise<ProxyForwarder> {
  const replaced = { ...env }
  const addresses = new Map<string, string>()
  const servers: Server[] = []
  const open = new Set<Duplex>()
  const end = async () => {
    for (const socket of open) socket.destroy()
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
  try {
    for (const [name, value] of Object.entries(env)) {
      const found = findProxyLogin(name, value)
      if (found === null) continue
      delete replaced[name]
      const proxy = toProxy(found)
      if (proxy === null) continue
      const known = addresses.get(value) ?? (await startForwarder(proxy, { servers, open }))
      addresses.set(value, known)
      replaced[name] = known
    }
  } catch (error) {
    await end()
    throw error
  }
  return { env: replaced, [Symbol.asyncDispose]: end }
}

interface Proxy {
  address: URL
  /** The value of the header Proxy-Authorization. */
  authorization: string
}

/** null: not an HTTP proxy. */
function toProxy({ scheme, login, place }: ProxyLogin): Proxy | null {
  const address = `${scheme}://${place}`
  if (!/^https?$/.test(scheme) || !URL.canParse(address)) return null
  return { address: new URL(address), authorization: `Basic ${Buffer.from(decodeLogin(login)).toString('base64')}` }
}

/** At once, more than an agent with many sub-agents opens: what it runs can't use up this process's file descriptors. */
export const mostConnections = 256

async function startForwarder(
  proxy: Proxy,
  { servers, open }: { servers: Server[]; open: Set<Duplex> },
): Promise<string> {
  const server = createServer({ maxHeaderSize: 64 * 1024, headersTimeout: 0, requestTimeout: 0 })
  server.maxConnections = mostConnections
  server.on('connection', (socket) => keepOpen(socket, open))
  server.on('request', (incoming, response) => forwardRequest(proxy, incoming, response))
  server.on('connect', (incoming, client, first) => openTunnel({ proxy, open }, incoming, { client, first }))
  const port = await listenOnLoopback(server)
  servers.push(server)
  return `http://127.0.0.1:${port}`
}

/** Starts the server on a free port of 127.0.0.1, and returns the port. Rejects when it can't listen. */
export function listenOnLoopback(server: NetServer): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address === 'object' && address !== null) resolve(address.port)
      else reject(new Error('a server on 127.0.0.1 has no port'))
    })
  })
}

/** Keeps a connection in `open` until it closes. An error closes it. */
export function keepOpen(socket: Duplex, open: Set<Duplex>): void {
  open.add(socket)
  socket.on('error', () => socket.destroy())
  socket.once('close', () => open.delete(socket))
}

function ask({ address, authorization }: Proxy, method: string, target: string, headers: readonly string[]) {
  const request = address.protocol === 'https:' ? requestHttps : requestHttp
  return request({
    host: address.hostname.replace(/^\[|\]$/g, ''),
    port: address.port || undefined,
    method,
    path: target,
    headers: [...headers, 'proxy-authorization', authorization],
    agent: false,
  })
}

/** A request to an http:// address. */
function forwardRequest(proxy: Proxy, incoming: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url = '', headers } = incoming
  if (!/^https?:\/\//i.test(url)) {
    response.writeHead(400).end()
    return
  }
  const framing = headers['transfer-encoding'] === undefined ? [] : ['transfer-encoding', 'chunked']
  const outgoing = ask(proxy, method, url, [...endToEndHeaders(incoming), ...framing])
  outgoing.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndHeaders(answer))
    pipeline(answer, response, () => {})
  })
  outgoing.once('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
  response.once('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}

/** The headers but those of one connection, and what the child says to a proxy. */
function endToEndHeaders({ rawHeaders }: IncomingMessage): string[] {
  return rawHeaders.flatMap((name, index) => {
    if (
      index % 2 === 1 ||
      /^(connection|keep-alive|proxy-(?!authenticate)\w+|te|trailer|transfer-encoding|upgrade)$/i.test(name)
    )
      return []
    return [name, rawHeaders[index + 1] ?? '']
  })
}

/** CONNECT: the proxy's answer, of any status, goes back as it is. */
function openTunnel(
  { proxy, open }: { proxy: Proxy; open: Set<Duplex> },
  { url = '' }: IncomingMessage,
  { client, first }: { client: Duplex; first: Buffer },
): void {
  const outgoing = ask(proxy, 'CONNECT', url, ['host', url])
  client.once('close', () => outgoing.destroy())
  outgoing.once('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'))
  outgoing.once('connect', ({ statusCode, statusMessage, rawHeaders }, socket, answered) => {
    keepOpen(socket, open)
    client.once('close', () => socket.destroy())
    socket.once('close', () => client.destroy())
    const headers = rawHeaders.map((part, index) => `${part}${index % 2 === 0 ? ': ' : '\r\n'}`).join('')
    client.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${headers}\r\n`)
    client.write(answered)
    socket.write(first)
    socket.pipe(client)
    client.pipe(socket)
  })
  outgoing.end()
}
