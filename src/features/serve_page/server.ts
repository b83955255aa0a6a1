/** The server of `view --serve`: the page, its data files and people's notes on one benchmark, for anyone with its URL. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'

export interface PageServerOptions {
  page(): Promise<string>
  /** Folder of the page's data files, absolute. */
  data: string
  /** Current workers and queues as JSON; absent: no queue is watched. */
  fleet?: () => Promise<string>
  /** Stores what the page sends, by path; throws on invalid content. */
  keep: ReadonlyMap<string, (body: string) => Promise<void>>
  /** Used if free, so that an open page finds a restarted server. */
  port: number
  /** The start of the URL's path: requests without it are refused. */
  token(port: number): string
}

export interface PageServer {
  url: string
  /** A URL that works once: other users of the machine can see a browser's command line. */
  once(): string
  /** Notifies every open page of a change. */
  changed(): void
  close(): Promise<void>
}

const largestBody = 2_000_000
const headers = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** On 127.0.0.1, at the requested port or any free one. */
export async function startPageServer(served: PageServerOptions): Promise<PageServer> {
  const live: LiveListeners = { listening: new Set(), started: Date.now().toString(36), changes: 0 }
  const door: PageAddress = { root: '/', tickets: new Set() }
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    const refusal = findRequestRefusal(request, boundPort(server.address()))
    if (refusal !== null) {
      endResponse(response, 403, refusal)
      return
    }
    const target = resolveTarget(request, response, door)
    if (target === null) return
    answer({ request, response, served, live, target }).catch((error: unknown) => {
      endResponse(response, 500, errorText(error))
    })
  })
  await listenOnPort(server, served.port).catch(() => listenOnPort(server, 0))
  const port = boundPort(server.address())
  door.root = `/${served.token(port)}/`
  return {
    url: `http://127.0.0.1:${port}${door.root}`,
    once: () => {
      const ticket = `/once/${randomUUID()}`
      door.tickets.add(ticket)
      return `http://127.0.0.1:${port}${ticket}`
    },
    changed: () => {
      live.changes += 1
      for (const response of live.listening) sendState(response, live)
    },
    close: async () => {
      for (const response of live.listening) response.end()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function listenOnPort(server: import('node:http').Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

function boundPort(address: ReturnType<import('node:http').Server['address']>): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Refuses other sites that reach this port (through a host name for 127.0.0.1, or across origins). */
function findRequestRefusal(
  { headers: { host = '', origin, 'sec-fetch-site': site } }: IncomingMessage,
  port: number,
): string | null {
  const own = [`127.0.0.1:${port}`, `localhost:${port}`]
  if (!own.includes(host)) return 'not this host'
  if (origin !== undefined && !own.some((name) => origin === `http://${name}`)) return 'not this origin'
  return site === 'cross-site' || site === 'same-site' ? 'not from another site' : null
}

/** Compares in constant time, so that timing reveals nothing. */
export function isSameToken(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(one), hash(other))
}

/** The page's path, and the one-time paths that redirect to it. */
interface PageAddress {
  root: string
  tickets: Set<string>
}

/** The path below the page's root, such as `/events`; null: it is not below it, and the request has been answered. */
function resolveTarget(
  { url = '', method }: IncomingMessage,
  response: ServerResponse,
  { root, tickets }: PageAddress,
): string | null {
  const [asked = ''] = url.split('?')
  if (method === 'GET' && tickets.delete(asked)) {
    response.writeHead(303, { location: root }).end()
    return null
  }
  const rest = asked.indexOf('/', 1)
  if (rest > 0 && isSameToken(asked.slice(0, rest + 1), root)) return asked.slice(rest)
  endResponse(
    response,
    403,
    'Open the address that `whetstone view --serve` printed, the part behind the port included.',
  )
  return null
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof UserError && error.fix !== null ? `${error.message}; ${error.fix}.` : error.message
}

function endResponse(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  if (response.headersSent) return void response.end()
  response.writeHead(status, { 'content-type': type }).end(text)
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  served: PageServerOptions
  live: LiveListeners
  /** Below the page's root. */
  target: string
}

/** Connected pages and the current state: a page from before the last change, or from an earlier server, has another state. */
interface LiveListeners {
  listening: Set<ServerResponse>
  started: string
  changes: number
}

function stateText({ started, changes }: LiveListeners): string {
  return `${started}.${changes}`
}

function sendState(response: ServerResponse, live: LiveListeners): void {
  response.write(`data: ${stateText(live)}\n\n`)
}

async function renderServedPage(served: PageServerOptions, live: LiveListeners): Promise<string> {
  const state = stateText(live)
  const fleet = served.fleet === undefined ? '' : ' data-fleet="yes"'
  return (await served.page()).replace('<html', `<html data-state="${state}"${fleet}`)
}

async function answer({ request, response, served, live, target }: Exchange): Promise<void> {
  const asked = `${request.method} ${target}`
  if (asked === 'GET /')
    return endResponse(response, 200, await renderServedPage(served, live), 'text/html; charset=utf-8')
  if (asked === 'GET /fleet.json' && served.fleet !== undefined) {
    return endResponse(response, 200, await served.fleet(), 'application/json; charset=utf-8')
  }
  if (asked === 'GET /events') {
    sendState(response.writeHead(200, { 'content-type': 'text/event-stream' }), live)
    live.listening.add(response)
    request.on('close', () => live.listening.delete(response))
    return
  }
  const keep = request.method === 'POST' ? served.keep.get(target) : undefined
  if (keep !== undefined) {
    const body = await keepBody(request, response, keep)
    if (body !== null) sendSaved(live, target, body)
    return
  }
  const [, name] = /^GET \/report\.data\/([A-Za-z0-9][A-Za-z0-9._-]*\.js)$/.exec(asked) ?? []
  const file = name === undefined ? null : path.join(served.data, name)
  if (file === null || !existsSync(file)) return endResponse(response, 404, 'nothing here')
  response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' })
  createReadStream(file)
    .on('error', () => response.destroy()) // it may disappear: pages are rendered again
    .pipe(response)
}

/** Shows the other pages what one saved; disconnects a page that does not read, which then reconnects. */
function sendSaved({ listening }: LiveListeners, path: string, body: string): void {
  const text = `event: kept\ndata: ${JSON.stringify({ path, body })}\n\n`
  for (const response of listening) {
    if (response.writableLength > largestBody) response.destroy()
    else response.write(text)
  }
}

/** The stored body; null: nothing was stored, and the response says why. */
async function keepBody(
  request: IncomingMessage,
  response: ServerResponse,
  keep: (body: string) => Promise<void>,
): Promise<string | null> {
  const refuse = (status: number, text: string) => {
    endResponse(response, status, text)
    return null
  }
  if (!(request.headers['content-type'] ?? '').startsWith('application/json')) return refuse(415, 'not JSON')
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    const bytes = Buffer.from(part)
    size += bytes.length
    if (size > largestBody) return refuse(413, 'too long')
    parts.push(bytes)
  }
  const body = Buffer.concat(parts).toString('utf8')
  const problem = await keep(body).then(
    () => null,
    (error: unknown) => errorText(error),
  )
  if (problem !== null) return refuse(400, problem)
  endResponse(response, 200, 'saved')
  return body
}
