/**
 * Reverse proxy on loopback for one run: it replaces a placeholder in the requests that the run may send with the real key, sends them to
 * the endpoint, and shows what was answered.
 */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { errnoCode, errorMessage } from '../errors/error.ts'
import { listenOnLoopback, mostConnections } from '../http/proxy_forwarder.ts'
import { type AllowedRequest, basePath, findForwardedPath } from './allowed_requests.ts'
import { type ExchangeRecord, type ForwardedExchange, recordExchange } from './exchange_record.ts'
import { openUpstream, type Upstream, type UpstreamConnection, unbracketedHost } from './upstream.ts'

export interface CredentialProxyRequest extends Upstream {
  /** The real key for each placeholder. */
  keys: ReadonlyMap<string, string>
  /** The only requests that are forwarded. */
  allowed: readonly AllowedRequest[]
  /** Called for each request that carries a placeholder and is not forwarded; `request`: such as "DELETE /v1/files/x". */
  onRefused?: (request: string) => void
  /** Called for each request that is forwarded, such as "POST /v1/messages"; what it returns is called once, when the request is over. */
  onForwarded?: (request: string) => (exchange: ForwardedExchange) => void
}

export interface CredentialProxy extends AsyncDisposable {
  /** The base URL that replaces the endpoint's: on 127.0.0.1, with the same path. */
  url: string
  /** Why the newest request did not reach the endpoint; null: it did, or there was none. */
  readonly unreachable: string | null
}

/** Bytes of all headers of a request or response. */
const maxHeaderSize = 64 * 1024

/**
 * Starts the proxy on a free port of 127.0.0.1. Each connection to it has its own connection to the endpoint, so the agent sees what it
 * would see without a proxy. Disposal closes all connections and makes the placeholders worthless. Rejects when it can't listen.
 */
export async function openCredentialProxy(request: CredentialProxyRequest): Promise<CredentialProxy> {
  // no time limits: agent and endpoint decide how long they wait
  const state: Forwarding['state'] = { unreachable: null }
  const connections = new WeakMap<Socket, Connection>()
  const server = createServer({ maxHeaderSize, keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 })
  server.maxConnections = mostConnections
  server.on('connection', (client: Socket) => connections.set(client, serveConnection(client, request)))
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(incoming.socket)
    if (connection !== undefined) forward({ incoming, response, connection }, { ...request, state })
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}${basePath(request.endpoint)}`,
    get unreachable() {
      return state.unreachable
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

interface Connection {
  upstream: UpstreamConnection
  /** Unanswered requests. */
  open: number
}

function serveConnection(client: Socket, to: Upstream): Connection {
  const upstream = openUpstream(to, () => {
    if (connection.open === 0) client.end() // as the endpoint does between two requests
  })
  const connection: Connection = { upstream, open: 0 }
  client.once('close', () => upstream.close())
  return connection
}

interface Exchange {
  incoming: IncomingMessage
  response: ServerResponse
  connection: Connection
}

/** `state`: of all connections. */
type Forwarding = CredentialProxyRequest & { state: { unreachable: string | null } }

function forward({ incoming, response, connection }: Exchange, proxy: Forwarding): void {
  const { endpoint, state } = proxy
  const headers = signedHeaders(incoming.rawHeaders, proxy.keys)
  if (headers === null) {
    refuse(response, withoutKey)
    return
  }
  const path = findForwardedPath(incoming, endpoint, proxy.allowed)
  if (path === null) {
    proxy.onRefused?.(`${incoming.method} ${incoming.url}`)
    refuse(response, refusalOfOthers(proxy.allowed))
    return
  }
  // a chunked body stays chunked whatever the method: otherwise the server would read it as the next request
  const framing = incoming.headers['transfer-encoding'] === undefined ? [] : ['transfer-encoding', 'chunked']
  const request = endpoint.protocol === 'https:' ? requestHttps : requestHttp
  const outgoing = request({
    host: unbracketedHost(endpoint),
    port: endpoint.port || undefined,
    method: incoming.method,
    path,
    headers: ['host', endpoint.host, ...headers, 'accept-encoding', 'identity', ...framing],
    agent: connection.upstream.agent,
    maxHeaderSize,
  })
  connection.open += 1
  const record = recordExchange(incoming, proxy.onForwarded?.(`${incoming.method} ${path}`))
  const isConnected = followConnection(outgoing, endpoint)
  outgoing.once('response', (answer) => {
    state.unreachable = null
    passBack(answer, response, { incoming, record })
  })
  outgoing.on('error', (error) => {
    if (response.headersSent || incoming.socket.destroyed) return
    state.unreachable = isConnected() ? null : errorMessage(error) || (errnoCode(error) ?? 'no connection')
    record.end(incoming.complete || !isConnected() ? 'broken' : 'cut')
    incoming.socket.destroy() // as an endpoint that can't be reached would
  })
  response.once('close', () => {
    connection.open -= 1
    record.end(incoming.complete ? 'dropped' : 'cut')
    if (!response.writableFinished) outgoing.destroy()
  })
  incoming.pipe(outgoing)
}

/** Returns a function that says whether a request has a connection to the endpoint. */
function followConnection(outgoing: ClientRequest, endpoint: URL): () => boolean {
  const connected = endpoint.protocol === 'https:' ? 'secureConnect' : 'connect'
  let isConnected = false
  outgoing.once('socket', (socket) => {
    isConnected = outgoing.reusedSocket || (connected === 'connect' && !socket.connecting)
    socket.once(connected, () => {
      isConnected = true
    })
  })
  return () => isConnected
}

/** Passes each chunk on as it arrives; a response that breaks off breaks off here too. */
function passBack(
  answer: IncomingMessage,
  response: ServerResponse,
  { incoming, record }: Pick<Exchange, 'incoming'> & { record: ExchangeRecord },
): void {
  const headers = endToEndHeaders(answer.rawHeaders)
  if (/\bclose\b/i.test(answer.headers.connection ?? '')) headers.push('connection', 'close')
  response.sendDate = false // the endpoint sends its own
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers)
  response.flushHeaders()
  Object.assign(record.exchange, { status: answer.statusCode ?? null, headers: answer.headers })
  // a request without its end can make the endpoint give up
  answer.once('error', () => record.end(incoming.complete ? 'broken' : 'cut'))
  const watch = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      record.keep(chunk)
      yield chunk
    }
    record.end(incoming.complete ? 'whole' : 'cut')
  }
  pipeline(answer, watch, response, () => {})
}

const keyHeaders: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'x-goog-api-key'])

/** The headers with the real key in place of each placeholder; null: no header has a placeholder, or one has another key. */
function signedHeaders(raw: readonly string[], keys: ReadonlyMap<string, string>): string[] | null {
  let isSigned = false
  const headers: string[] = []
  for (const [name, value] of pairs(endToEndHeaders(raw))) {
    if (name.toLowerCase() === 'accept-encoding') continue // replaced: responses are read here
    if (!keyHeaders.has(name.toLowerCase())) {
      headers.push(name, value)
      continue
    }
    const [, scheme = '', placeholder = ''] = /^(Bearer\s+)?(\S+)$/i.exec(value.trim()) ?? []
    const key = keys.get(placeholder)
    if (key === undefined || !/^[ -~]+$/.test(key)) return null // a header can't carry other characters
    isSigned = true
    headers.push(name, `${scheme}${key}`)
  }
  return isSigned ? headers : null
}

/** Headers of one connection only (RFC 9110, section 7.6.1), and headers that the sender of a request writes itself. */
const hopByHopHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'expect'],
])

function endToEndHeaders(raw: readonly string[]): string[] {
  return pairs(raw).flatMap(([name, value]) => (hopByHopHeaders.has(name.toLowerCase()) ? [] : [name, value]))
}

function pairs(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as [string, string]] : []))
}

interface Refusal {
  status: 401 | 403
  type: string
  /** Gemini's word for it. */
  word: string
  message: string
}

const withoutKey: Refusal = {
  status: 401,
  type: 'authentication_error',
  word: 'UNAUTHENTICATED',
  message: 'this request does not carry the key that Whetstone gave to this run',
}

function refusalOfOthers(allowed: readonly AllowedRequest[]): Refusal {
  const message = `Whetstone's credential proxy forwards only what the agent of this run needs: ${allowed.join(', ')}`
  return { status: 403, type: 'permission_error', word: 'PERMISSION_DENIED', message }
}

/** In a form that Anthropic, OpenAI and Gemini share. */
function refuse(response: ServerResponse, { status, type, word, message }: Refusal): void {
  const body = JSON.stringify({ type: 'error', error: { type, code: status, status: word, message } })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), connection: 'close' }
  response.writeHead(status, headers).end(body)
}
