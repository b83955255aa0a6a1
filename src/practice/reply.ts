/** Sends the server's replies, broken on purpose when a fault requires it. */
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import type { OfferedTool, PracticeMessage } from './dialogue.ts'
import type { Wire } from './wires/wire.ts'

export type Reply =
  | { kind: 'json'; body: unknown }
  | { kind: 'error'; status: number; message: string; retryAfter: number | null }
  | {
      kind: 'message'
      message: PracticeMessage
      tools: readonly OfferedTool[]
      stream: boolean
      broken: Breakage | null
    }
  | { kind: 'context_full'; model: string; stream: boolean }
  | { kind: 'hang' }

/** How a message breaks after a good start; `events`: how many of the stream's events are still sent. */
export type Breakage = { kind: 'cut' | 'stall'; events: number } | { kind: 'malformed' }

export function refusalReply(status: number, message: string, retryAfter: number | null = null): Reply {
  return { kind: 'error', status, message, retryAfter }
}

/** Sends the reply and waits until it is sent or the connection is gone. True: it was a message, and it was sent completely. */
export async function sendReply(reply: Reply, response: ServerResponse, wire: Wire): Promise<boolean> {
  const requestId = `req_${randomBytes(12).toString('hex')}`
  response.setHeader(wire.requestIdHeader, requestId)
  switch (reply.kind) {
    case 'json':
      sendJson(response, 200, JSON.stringify(reply.body))
      break
    case 'error': {
      if (reply.retryAfter !== null) response.setHeader('retry-after', String(reply.retryAfter))
      const { status, body } = wire.refuse({ ...reply, requestId })
      sendJson(response, status, JSON.stringify(body))
      break
    }
    case 'message': {
      const { message, tools, stream, broken } = reply
      if (stream) sendStream(response, wire.frames(message, tools), broken)
      else sendWhole(response, JSON.stringify(wire.whole(message, tools)), broken)
      break
    }
    case 'context_full': {
      const { model, stream } = reply
      const full = wire.refuseFull({ model, stream, requestId })
      if ('frames' in full) sendStream(response, full.frames, null)
      else sendJson(response, full.status, JSON.stringify(full.body))
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

function sendWhole(response: ServerResponse, body: string, broken: Breakage | null): void {
  const half = body.slice(0, body.length / 2)
  if (broken === null || broken.kind === 'malformed') {
    sendJson(response, 200, broken === null ? body : half)
    return
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.write(half, () => broken.kind === 'cut' && response.socket?.end())
}

function sendStream(response: ServerResponse, frames: readonly string[], broken: Breakage | null): void {
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
