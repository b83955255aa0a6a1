/** Sends the server's replies, broken on purpose when a fault requires it. */
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import type { OfferedTool, PracticeMessage } from './dialogue.ts'
import type { PracticeRequest } from './request.ts'
import type { Wire } from './wires/wire.ts'

export type Reply =
  | { kind: 'json'; body: unknown }
  | { kind: 'lines'; lines: readonly string[] }
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

export interface ReplyForm extends Pick<PracticeRequest, 'framing'> {
  wire: Wire
}

/** Sends the reply and waits until it is sent or the connection is gone. True: it was a message, and it was sent completely. */
export async function sendReply(
  reply: Reply,
  response: ServerResponse,
  { wire, framing }: ReplyForm,
): Promise<boolean> {
  const requestId = `req_${randomBytes(12).toString('hex')}`
  response.setHeader(wire.requestIdHeader, requestId)
  switch (reply.kind) {
    case 'json':
      sendJson(response, 200, JSON.stringify(reply.body))
      break
    case 'lines':
      response
        .writeHead(200, { 'content-type': 'application/x-jsonl' })
        .end(reply.lines.map((line) => `${line}\n`).join(''))
      break
    case 'error': {
      if (reply.retryAfter !== null) response.setHeader('retry-after', String(reply.retryAfter))
      const { status, body } = wire.refuse({ ...reply, requestId })
      sendJson(response, status, JSON.stringify(body))
      break
    }
    case 'message': {
      const { message, tools, stream, broken } = reply
      if (stream) sendStream(response, { frames: wire.frames(message, tools), framing }, broken)
      else sendWhole(response, JSON.stringify(wire.whole(message, tools)), broken)
      break
    }
    case 'context_full': {
      const { model, stream } = reply
      const full = wire.refuseFull({ model, stream, requestId })
      if ('frames' in full) sendStream(response, { frames: full.frames, framing }, null)
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

function sendStream(
  response: ServerResponse,
  { frames, framing }: Pick<ReplyForm, 'framing'> & { frames: readonly string[] },
  broken: Breakage | null,
): void {
  const type = framing === 'aws' ? eventStreamType : 'text/event-stream; charset=utf-8'
  const pack = (some: readonly string[]) =>
    framing === 'aws' ? Buffer.concat(some.map(packEventStream)) : some.join('')
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' })
  if (broken === null) {
    response.end(pack(frames))
  } else if (broken.kind === 'malformed') {
    const middle = Math.floor(frames.length / 2)
    const bad = `${(frames[middle] ?? '').slice(0, -6)}\n\n`
    response.end(pack([...frames.slice(0, middle), bad, ...frames.slice(middle + 1)]))
  } else {
    response.flushHeaders()
    const begun = pack(frames.slice(0, broken.events))
    response.write(begun.length > 0 ? begun : '\n', () => broken.kind === 'cut' && response.socket?.end())
  }
}

const headers = { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' }

const eventStreamType = 'application/vnd.amazon.eventstream'

/** One server-sent event as a message of the event stream; empty for a frame without data. */
function packEventStream(frame: string): Buffer {
  const [, data] = /^data: (.*)$/m.exec(frame) ?? []
  if (data === undefined) return Buffer.alloc(0)
  const payload = Buffer.from(JSON.stringify({ bytes: Buffer.from(data).toString('base64') }))
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => packHeader(name, value)))
  const lengths = Buffer.concat([word(12 + head.length + payload.length + 4), word(head.length)])
  const message = Buffer.concat([lengths, word(crc32(lengths)), head, payload])
  return Buffer.concat([message, word(crc32(message))])
}

/** A header with a text: the name and its length, the type 7, the value and its length. */
function packHeader(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([7, 0, value.length]),
    Buffer.from(value),
  ])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
