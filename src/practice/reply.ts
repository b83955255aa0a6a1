/** What the server sends back, and sending it, broken on purpose where a fault says so. */
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import type { OfferedTool, PracticeMessage } from './dialogue.ts'
import type { Wire } from './wires/wire.ts'

export type Reply =
  | { kind: 'json'; body: unknown }
  | { kind: 'error'; status: number; message: string; retryAfter: number | null }
  | { kind: 'message'; message: PracticeMessage; tools: readonly OfferedTool[]; stream: boolean; broken: Broken | null }
  | { kind: 'hang' }

/** How a message that began well goes wrong; `events`: how many of the stream's events still go out. */
export type Broken = { kind: 'cut' | 'stall'; events: number } | { kind: 'malformed' }

export function refusal(status: number, message: string, retryAfter: number | null = null): Reply {
  return { kind: 'error', status, message, retryAfter }
}

/** Sends the reply and waits until it is out or the connection is gone. True: it was a message, and it went out whole. */
export async function send(reply: Reply, response: ServerResponse, wire: Wire): Promise<boolean> {
  const requestId = `req_${randomBytes(12).toString('hex')}`
  response.setHeader(wire.requestIdHeader, requestId)
  switch (reply.kind) {
    case 'json':
      sendJson(response, 200, JSON.stringify(reply.body))
      break
    case 'error': {
      if (reply.retryAfter !== null) response.setHeader('retry-after', String(reply.retryAfter))
      const { status, body } = wire.refuse({ status: reply.status, message: reply.message, requestId })
      sendJson(response, status, JSON.stringify(body))
      break
    }
    case 'message': {
      const { message, tools, stream, broken } = reply
      if (stream) sendStream(response, wire.frames(message, tools), broken)
      else sendWhole(response, JSON.stringify(wire.whole(message, tools)), broken)
      break
    }
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
  if (broken === null || broken.kind === 'malformed') {
    sendJson(response, 200, broken === null ? body : half)
    return
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.write(half, () => broken.kind === 'cut' && response.socket?.end())
}

function sendStream(response: ServerResponse, frames: readonly string[], broken: Broken | null): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  if (broken === null) {
    response.end(frames.join(''))
  } else if (broken.kind === 'malformed') {
    const middle = Math.floor(frames.length / 2)
    const bad = `${(frames[middle] ?? '').slice(0, -6)}\n\n`
    response.end([...frames.slice(0, middle), bad, ...frames.slice(middle + 1)].join(''))
  } else {
    response.flushHeaders()
    const begun = frames.slice(0, broken.events).join('') || '\n'
    response.write(begun, () => broken.kind === 'cut' && response.socket?.end())
  }
}
