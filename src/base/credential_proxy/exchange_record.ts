/** Keeps what passes through the proxy for one request, until it is over. */
import type { IncomingMessage } from 'node:http'

/** Bytes of a response that are kept until its end. */
const keptBytes = 64 * 1024 * 1024

/** What passed through the proxy for one request. */
export interface ForwardedExchange {
  /** broken: the endpoint broke it off, or did not answer; dropped: the agent did not wait for its end; cut: it did not send its request whole. */
  end: 'whole' | 'broken' | 'dropped' | 'cut'
  /** Bytes of the request's body. */
  sent: number
  /** Milliseconds between the endpoint's last byte, or the beginning, and the end. */
  silentMs: number
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
  const exchange: ForwardedExchange = { end: 'broken', sent: 0, silentMs: 0, status: null, headers: {}, body: null }
  let heardAt = performance.now()
  let chunks: Buffer[] | null = []
  let size = 0
  let isOver = onEnd === undefined
  incoming.on('data', (chunk: Buffer) => {
    exchange.sent += chunk.length
  })
  return {
    exchange,
    keep(chunk) {
      heardAt = performance.now()
      size += chunk.length
      if (size > keptBytes) chunks = null
      if (!isOver) chunks?.push(chunk)
    },
    end(how) {
      if (isOver) return
      isOver = true
      const silentMs = performance.now() - heardAt
      onEnd?.({ ...exchange, end: how, silentMs, body: chunks && Buffer.concat(chunks) })
    },
  }
}
