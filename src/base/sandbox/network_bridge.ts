/** The outer end of the bridge: a socket file for each route, whose connections go to the endpoint and nowhere else. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import path from 'node:path'
import { openScratch } from '../fs/temp_dir.ts'
import { keepOpen, mostConnections } from '../http/proxy_forwarder.ts'
import { type BridgeRoute, readTarget } from './network_routes.ts'

export interface Bridge extends AsyncDisposable {
  /** The socket of each route, absolute. With `tcp` its path is empty, and `at` is the loopback port that replaces it. */
  sockets: { port: number; path: string; at: number | null }[]
}

export interface BridgeRequest {
  routes: readonly BridgeRoute[]
  /** The user's own proxy (http://…, without a login) for all hosts but this machine; null: none. */
  upstream: string | null
  /** Listen on loopback ports instead of socket files: for a sandbox without a network of its own. */
  tcp?: boolean
}

/** Opens the bridge; rejects when a socket can't be created. Disposal closes every connection. */
export async function openBridge({ routes, upstream, tcp = false }: BridgeRequest): Promise<Bridge> {
  const scratch = await openScratch()
  const open = new Set<Socket>()
  const servers: Server[] = []
  const sockets: Bridge['sockets'] = []
  const end = async () => {
    for (const server of servers) server.close()
    for (const socket of open) socket.destroy()
    await scratch[Symbol.asyncDispose]()
  }
  try {
    for (const route of routes) {
      const place = tcp ? '' : path.join(scratch.path, String(route.port))
      const server = await listen(place, (socket) => serve(socket, { route, open, upstream }))
      servers.push(server)
      const address = server.address()
      const at = typeof address === 'object' && address !== null ? address.port : null
      sockets.push({ port: route.port, path: place, at })
    }
    return { sockets, [Symbol.asyncDispose]: end }
  } catch (error) {
    await end()
    throw error
  }
}

function listen(place: string, onConnection: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true }, onConnection)
    server.maxConnections = mostConnections
    server.once('error', reject)
    if (place === '') server.listen(0, '127.0.0.1', () => resolve(server))
    else server.listen(place, () => resolve(server))
  })
}

interface Serving {
  route: BridgeRoute
  open: Set<Socket>
  upstream: string | null
}

function serve(socket: Socket, serving: Serving): void {
  const { route } = serving
  keepOpen(socket, serving.open)
  if (route.kind === 'direct') join(socket, reach(route, serving.open))
  else readHead(socket, (head) => proxy(socket, head, { ...serving, route }))
}

function reach(target: { host: string; port: number }, open: Set<Socket>): Socket {
  const socket = connect({ host: target.host, port: target.port, allowHalfOpen: true, autoSelectFamily: true })
  keepOpen(socket, open)
  return socket
}

function join(one: Socket, other: Socket): void {
  one.pipe(other)
  other.pipe(one)
  endTogether(one, other)
}

function endTogether(one: Socket, other: Socket): void {
  one.once('close', () => other.destroy())
  other.once('close', () => one.destroy())
}

const longestHead = 64 * 1024

/** Calls back once with all bytes received up to the empty line; a longer head ends the connection. */
function readHead(socket: Socket, then: (head: Buffer) => void): void {
  let head = Buffer.alloc(0)
  const take = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    if (head.length > longestHead) socket.destroy()
    if (!head.includes('\r\n\r\n')) return
    socket.off('data', take)
    socket.pause()
    then(head)
  }
  socket.on('data', take)
}

function proxy(
  socket: Socket,
  head: Buffer,
  { route, open, upstream }: Serving & { route: BridgeRoute & { kind: 'proxy' } },
) {
  const [method = '', asked = ''] = head.toString('latin1').split(' ', 2)
  const isTunnel = method === 'CONNECT'
  const url = isTunnel ? `https://${asked}` : asked
  const { host, port } = URL.canParse(url) ? readTarget(new URL(url)) : {}
  const target = route.allowed.find((one) => one.host === host && one.port === port)
  if (target === undefined) {
    socket.end(
      `HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nx-whetstone: ${host ?? 'no host'} is not the endpoint\r\n\r\n`,
    )
    return
  }
  const asks = { socket, isTunnel, head }
  if (upstream === null) {
    const other = reach(target, open)
    endTogether(socket, other)
    other.once('connect', () => begin(asks, other))
  } else openUpstreamTunnel(asks, target, { upstream, open })
}

/** A request from inside the sandbox, with its first bytes. */
interface InsideRequest {
  socket: Socket
  isTunnel: boolean
  head: Buffer
}

/** Connects both ends: sends what arrived with the head, then pipes everything. */
function begin({ socket, isTunnel, head }: InsideRequest, other: Socket, said: Buffer = Buffer.alloc(0)): void {
  if (isTunnel) socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
  socket.write(said)
  other.write(isTunnel ? head.subarray(endOfHead(head)) : head)
  socket.pipe(other)
  other.pipe(socket)
}

/**
 * Through the user's own proxy, by a tunnel that Whetstone requests: that proxy connects to any host, so no bytes from inside may reach
 * it before the tunnel is open.
 */
function openUpstreamTunnel(
  asks: InsideRequest,
  { host, port }: { host: string; port: number },
  { upstream, open }: { upstream: string; open: Set<Socket> },
): void {
  const other = reach(readTarget(new URL(upstream)), open)
  endTogether(asks.socket, other)
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`
  other.write(`CONNECT ${place} HTTP/1.1\r\nhost: ${place}\r\n\r\n`)
  readHead(other, (answer) => {
    const [line = ''] = answer.toString('latin1').split('\r\n', 1)
    if (/^HTTP\/1\.\d 2\d\d/.test(line)) return begin(asks, other, answer.subarray(endOfHead(answer)))
    const why = `the proxy outside refuses a tunnel to ${place}: ${line.slice(0, 100)}`
    asks.socket.end(`HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nx-whetstone: ${why}\r\n\r\n`)
    other.pause() // it ends with the inside
  })
}

function endOfHead(head: Buffer): number {
  return head.indexOf('\r\n\r\n') + 4
}
