/** Keeps what passes through the proxy for one request, until it is over. */
import type { IncomingMessage } from 'node:http'

/** Bytes of a request, and of a response, that are kept until the end. */
const keptBytes = 64 * 1024 * 1024

/** What passed through the proxy for one request. */
export interface ForwardedExchange {
  /** broken: the endpoint broke it off, or did not answer; dropped: the agent did not wait for its end; cut: it did not send its request whole. */
  end: 'whole' | 'broken' | 'dropped' | 'cut'
  /** Bytes of the request's body. */
  sent: number
  /** The request's body in pieces, as far as it is kept. */
  request: readonly Buffer[]
  /** Milliseconds between the endpoint's last byte, or the beginning, and the end. */
  silentMs: number
  /** Milliseconds between the endpoint's first byte and its last. */
  activeMs: number
  /** null: there was no response. */
  status: number | null
  headers: IncomingMessage['headers']
  /** The response's body as far as it came, still compressed; null: it was too large to be kept. */
  body: Buffer | null
}

export interface ExchangeRecord {
  exchange: ForwardedExchange
  keep(chunk: Buffer): void
  /** The first call counts. */
  end(how: ForwardedExchange['end']): void
}

/** `onEnd` absent: nothing is kept. */
export function recordExchange(
  incoming: IncomingMessage,
  onEnd?: (exchange: ForwardedExchange) => void,
): ExchangeRecord {
  const asked: Buffer[] = []
  const exchange: ForwardedExchange = {
    end: 'broken',
    sent: 0,
    request: asked,
    silentMs: 0,
    activeMs: 0,
    status: null,
    headers: {},
    body: null,
  }
  let heardAt = performance.now()
  let begunAt: number | null = null
  let chunks: Buffer[] | null = []
  let size = 0
  let isOver = onEnd === undefined
  incoming.on('data', (chunk: Buffer) => {
    exchange.sent += chunk.length
    if (!isOver && exchange.sent <= keptBytes) asked.push(chunk)
  })
  return {
    exchange,
    keep(chunk) {
      heardAt = performance.now()
      begunAt ??= heardAt
      size += chunk.length
      if (size > keptBytes) chunks = null
      if (!isOver) chunks?.push(chunk)
    },
    end(how) {
      if (isOver) return
      isOver = true
      const silentMs = performance.now() - heardAt
      const activeMs = heardAt - (begunAt ?? heardAt)
      onEnd?.({ ...exchange, end: how, silentMs, activeMs, body: chunks && Buffer.concat(chunks) })
    },
  }
}
