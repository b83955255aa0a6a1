/** The server of `view --serve`: the page, the files beside it and what people say of one benchmark, for whoever has its address. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import path from 'node:path'
import { UserError } from '../../base/error.ts'
import { isSameToken } from './token.ts'

export interface Served {
  /** The page as it is now. */
  page(): Promise<string>
  /** Folder of the files beside the page, absolute. */
  data: string
  /** Workers and queues as they are now, as JSON; absent: no queue is watched. */
  fleet?: () => Promise<string>
  /** What is kept of what the page sends, by path; throws where it is unfit. */
  keep: ReadonlyMap<string, (body: string) => Promise<void>>
  /** Taken where it is free: a page that is open finds a server that was started again. */
  port: number
  /** What the address begins with: who does not know it gets nothing. */
  token(port: number): string
}

export interface Server {
  url: string
  /** An address that leads to the page once: what starts a browser shows it to all users of the machine. */
  once(): string
  /** Tells every open page that there is something new. */
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

/** On 127.0.0.1, at the port that is asked for or any free one. */
export async function startServer(served: Served): Promise<Server> {
  const live: Live = { listening: new Set(), started: Date.now().toString(36), changes: 0 }
  const door: Door = { root: '/', tickets: new Set() }
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    const refusal = refused(request, portOf(server.address()))
    if (refusal !== null) {
      end(response, 403, refusal)
      return
    }
    const target = within(request, response, door)
    if (target === null) return
    answer({ request, response, served, live, target }).catch((error: unknown) => {
      end(response, 500, toldOf(error))
    })
  })
  await listenAt(server, served.port).catch(() => listenAt(server, 0))
  const port = portOf(server.address())
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
      for (const response of live.listening) tellState(response, live)
    },
    close: async () => {
      for (const response of live.listening) response.end()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function listenAt(server: import('node:http').Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

function portOf(address: ReturnType<import('node:http').Server['address']>): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** A foreign page that reaches this port (by its own name for 127.0.0.1, or across origins) gets nothing. */
function refused(
  { headers: { host = '', origin, 'sec-fetch-site': site } }: IncomingMessage,
  port: number,
): string | null {
  const own = [`127.0.0.1:${port}`, `localhost:${port}`]
  if (!own.includes(host)) return 'not this host'
  if (origin !== undefined && !own.some((name) => origin === `http://${name}`)) return 'not this origin'
  return site === 'cross-site' || site === 'same-site' ? 'not from another site' : null
}

/** Where the page is, and the addresses that lead there once. */
interface Door {
  root: string
  tickets: Set<string>
}

/** What is asked for of the page, as `/events`; null: nothing of it, which has been answered. */
function within(
  { url = '', method }: IncomingMessage,
  response: ServerResponse,
  { root, tickets }: Door,
): string | null {
  const [asked = ''] = url.split('?')
  if (method === 'GET' && tickets.delete(asked)) {
    response.writeHead(303, { location: root }).end()
    return null
  }
  const rest = asked.indexOf('/', 1)
  if (rest > 0 && isSameToken(asked.slice(0, rest + 1), root)) return asked.slice(rest)
  end(response, 403, 'Open the address that `whetstone view --serve` printed, the part behind the port included.')
  return null
}

function toldOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof UserError && error.fix !== null ? `${error.message}; ${error.fix}.` : error.message
}

function end(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  if (response.headersSent) return void response.end()
  response.writeHead(status, { 'content-type': type }).end(text)
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  served: Served
  live: Live
  /** Below the page's address. */
  target: string
}

/** Who listens, and what they should see: a page that was sent before the last change, or by an earlier server, says another state. */
interface Live {
  listening: Set<ServerResponse>
  started: string
  changes: number
}

function stateOf({ started, changes }: Live): string {
  return `${started}.${changes}`
}

function tellState(response: ServerResponse, live: Live): void {
  response.write(`data: ${stateOf(live)}\n\n`)
}

async function pageOf(served: Served, live: Live): Promise<string> {
  const state = stateOf(live)
  const fleet = served.fleet === undefined ? '' : ' data-fleet="yes"'
  return (await served.page()).replace('<html', `<html data-state="${state}"${fleet}`)
}

async function answer({ request, response, served, live, target }: Exchange): Promise<void> {
  const asked = `${request.method} ${target}`
  if (asked === 'GET /') return end(response, 200, await pageOf(served, live), 'text/html; charset=utf-8')
  if (asked === 'GET /fleet.json' && served.fleet !== undefined) {
    return end(response, 200, await served.fleet(), 'application/json; charset=utf-8')
  }
  if (asked === 'GET /events') {
    tellState(response.writeHead(200, { 'content-type': 'text/event-stream' }), live)
    live.listening.add(response)
    request.on('close', () => live.listening.delete(response))
    return
  }
  const keep = request.method === 'POST' ? served.keep.get(target) : undefined
  if (keep !== undefined) {
    const body = await keepBody(request, response, keep)
    if (body !== null) tellKept(live, target, body)
    return
  }
  const [, name] = /^GET \/report\.data\/([A-Za-z0-9][A-Za-z0-9._-]*\.js)$/.exec(asked) ?? []
  const file = name === undefined ? null : path.join(served.data, name)
  if (file === null || !existsSync(file)) return end(response, 404, 'nothing here')
  response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' })
  createReadStream(file)
    .on('error', () => response.destroy()) // it may go meanwhile: pages are made again
    .pipe(response)
}

/** What one page has saved the others show; one that does not read is cut off, and asks again when it does. */
function tellKept({ listening }: Live, path: string, body: string): void {
  const text = `event: kept\ndata: ${JSON.stringify({ path, body })}\n\n`
  for (const response of listening) {
    if (response.writableLength > largestBody) response.destroy()
    else response.write(text)
  }
}

/** What was kept; null: nothing was, which the answer says. */
async function keepBody(
  request: IncomingMessage,
  response: ServerResponse,
  keep: (body: string) => Promise<void>,
): Promise<string | null> {
  const refuse = (status: number, text: string) => {
    end(response, status, text)
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
    (error: unknown) => toldOf(error),
  )
  if (problem !== null) return refuse(400, problem)
  end(response, 200, 'saved')
  return body
}
