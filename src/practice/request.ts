/** Reads an HTTP request: method, path, key and a body of bounded size. */
import type { IncomingMessage } from 'node:http'
import zlib from 'node:zlib'

export interface PracticeRequest {
  method: string
  /** Without the query. */
  path: string
  /** From x-api-key, x-goog-api-key, ?key= or authorization; empty: none. Never logged. */
  key: string
  /** By its way of authentication: tells the APIs apart where the path does not. */
  dialect: 'anthropic' | 'openai' | 'gemini'
  userAgent: string
  body: Body
}

type Body = { kind: 'json'; value: unknown } | { kind: 'not_json' } | { kind: 'too_large' }

/** Bytes of a body; the API's own limit. */
export const bodyLimit = 32 * 1024 * 1024

export async function readPracticeRequest(request: IncomingMessage): Promise<PracticeRequest> {
  const { headers, method = '', url = '/' } = request
  const path = url.replace(/[?#].*$/s, '')
  const googleKey = headers['x-goog-api-key'] || new URLSearchParams(url.slice(path.length)).get('key')
  const keys = [headers['x-api-key'], googleKey, (headers.authorization ?? '').replace(/^Bearer\s+/i, '')]
  return {
    method,
    path,
    key: String(keys.find(Boolean) ?? ''),
    dialect: googleKey ? 'gemini' : isOpenai(headers) ? 'openai' : 'anthropic',
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
    return { kind: 'not_json' } // or the client went away: then no answer is awaited
  }
}

/** Since Node 22.15; the types are of an older version. */
function unzstd(body: Buffer, limit: zlib.ZlibOptions): Buffer {
  const { zstdDecompressSync: unpackZstd } = zlib as { zstdDecompressSync?: typeof zlib.unzipSync }
  if (unpackZstd === undefined) throw new Error('zstd needs Node 22.15')
  return unpackZstd(body, limit)
}

/** Decompresses a body. Throws for invalid data, and for zstd before Node 22.15. */
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
