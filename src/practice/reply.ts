/** What the server sends back, and sending it, broken on purpose where a fault says so. */
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import type { PracticeMessage } from './message.ts'
import { eventsOf, type ServerEvent, wire } from './stream.ts'

export type Reply =
  | { kind: 'json'; body: unknown }
  | { kind: 'error'; status: number; message: string; retryAfter: number | null }
  | { kind: 'message'; message: PracticeMessage; stream: boolean; broken: Broken | null }
  | { kind: 'hang' }

/** How a message that began well goes wrong; `events`: how many of the stream's events still go out. */
export type Broken = { kind: 'cut'; events: number } | { kind: 'malformed' }

export function refusal(status: number, message: string, retryAfter: number | null = null): Reply {
  return { kind: 'error', status, message, retryAfter }
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** Sends the reply and waits until it is out or the connection is gone. True: it was a message, and it went out whole. */
export async function send(reply: Reply, response: ServerResponse): Promise<boolean> {
  const requestId = `req_${randomBytes(12).toString('hex')}`
  response.setHeader('request-id', requestId)
  switch (reply.kind) {
    case 'json':
      sendJson(response, 200, JSON.stringify(reply.body))
      break
    case 'error': {
      const { status, message, retryAfter } = reply
      if (retryAfter !== null) response.setHeader('retry-after', String(retryAfter))
      const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
      sendJson(response, status, JSON.stringify({ type: 'error', error: { type, message }, request_id: requestId }))
      break
    }
    case 'message':
      if (reply.stream) sendStream(response, eventsOf(reply.message), reply.broken)
      else sendWhole(response, JSON.stringify(reply.message), reply.broken)
      break
    case 'hang':
      break
  }
  await finished(response).catch(() => {})
  return response.writableFinished && reply.kind === 'message' && reply.broken === null
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, headers).end(body)
}

function sendWhole(response: ServerResponse, body: string, broken: Broken | null): void {
  const half = body.slice(0, body.length / 2)
  if (broken?.kind !== 'cut') {
    sendJson(response, 200, broken === null ? body : half)
    return
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.write(half, () => response.socket?.end())
}

function sendStream(response: ServerResponse, events: readonly ServerEvent[], broken: Broken | null): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  if (broken === null) {
    response.end(events.map(wire).join(''))
  } else if (broken.kind === 'cut') {
    response.flushHeaders()
    response.write(events.slice(0, broken.events).map(wire).join('') || '\n', () => response.socket?.end())
  } else {
    const middle = Math.floor(events.length / 2)
    const bad = `${wire(events[middle] ?? { type: 'ping' }).slice(0, -6)}\n\n`
    response.end([...events.slice(0, middle).map(wire), bad, ...events.slice(middle + 1).map(wire)].join(''))
  }
}
