/** A request as it came over HTTP: method, path, key and body, the body bounded. */
import type { IncomingMessage } from 'node:http'

export interface Asked {
  method: string
  /** Without the query. */
  path: string
  /** From x-api-key or authorization; empty: none. Never logged. */
  key: string
  userAgent: string
  body: Body
}

type Body = { kind: 'json'; value: unknown } | { kind: 'not_json' } | { kind: 'too_large' }

/** Bytes of a body; the API's own limit. */
export const bodyLimit = 32 * 1024 * 1024

export async function readAsked(request: IncomingMessage): Promise<Asked> {
  const { headers, method = '', url = '/' } = request
  return {
    method,
    path: url.replace(/[?#].*$/s, ''),
    key: String(headers['x-api-key'] ?? '') || (headers.authorization ?? '').replace(/^Bearer\s+/i, ''),
    userAgent: headers['user-agent'] ?? '',
    body: await readBody(request),
  }
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request) {
      size += chunk.length
      if (size <= bodyLimit) chunks.push(chunk)
    }
    if (size > bodyLimit) return { kind: 'too_large' }
    return { kind: 'json', value: JSON.parse(Buffer.concat(chunks).toString('utf8')) }
  } catch {
    return { kind: 'not_json' } // or the client went away: then nobody waits for an answer
  }
}
