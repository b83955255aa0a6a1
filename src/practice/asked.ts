/** A request as it came over HTTP: method, path, key and body, the body bounded. */
import type { IncomingMessage } from 'node:http'
import zlib from 'node:zlib'

export interface Asked {
  method: string
  /** Without the query. */
  path: string
  /** From x-api-key or authorization; empty: none. Never logged. */
  key: string
  /** Whose way of signing it has: what tells the APIs apart where the path does not. */
  dialect: 'anthropic' | 'openai'
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
    dialect: isOpenai(headers) ? 'openai' : 'anthropic',
    userAgent: headers['user-agent'] ?? '',
    body: await readBody(request),
  }
}

function isOpenai(headers: IncomingMessage['headers']): boolean {
  return headers.authorization !== undefined && !headers['x-api-key'] && !headers['anthropic-version']
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
    const body = unpack(Buffer.concat(chunks), request.headers['content-encoding'] ?? '')
    return { kind: 'json', value: JSON.parse(body.toString('utf8')) }
  } catch {
    return { kind: 'not_json' } // or the client went away: then nobody waits for an answer
  }
}

/** Since Node 22.15; the types know older ones. */
function unzstd(body: Buffer, limit: zlib.ZlibOptions): Buffer {
  const { zstdDecompressSync: unpackZstd } = zlib as { zstdDecompressSync?: typeof zlib.unzipSync }
  if (unpackZstd === undefined) throw new Error('zstd needs Node 22.15')
  return unpackZstd(body, limit)
}

/** A body as it was before it was packed. Throws for what is no such thing, and for zstd before Node 22.15. */
function unpack(body: Buffer, encoding: string): Buffer {
  const limit = { maxOutputLength: bodyLimit }
  switch (encoding) {
    case 'gzip':
    case 'deflate':
      return zlib.unzipSync(body, limit)
    case 'br':
      return zlib.brotliDecompressSync(body, limit)
    case 'zstd':
      return unzstd(body, limit)
    default:
      return body
  }
}
