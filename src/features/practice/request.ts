/** Reads an HTTP request: method, path, key and a body of bounded size. */
import type { IncomingMessage } from 'node:http'
import { unpackBody } from '../../base/http/unpack_body.ts'

export interface PracticeRequest {
  method: string
  /** Without the query. */
  path: string
  /** From x-api-key, api-key, x-goog-api-key, ?key= or authorization; empty: none. Never logged. */
  key: string
  /** By its way of authentication: tells the APIs apart where the path does not. */
  dialect: 'anthropic' | 'openai' | 'gemini'
  userAgent: string
  body: Body
  /** How a streamed answer is framed: as server-sent events, or as the event stream of AWS. */
  framing: 'sse' | 'aws'
}

type Body = { kind: 'json'; value: unknown } | { kind: 'not_json'; text: string } | { kind: 'too_large' }

/** Bytes of a body; the API's own limit. */
export const bodyLimit = 32 * 1024 * 1024

export async function readPracticeRequest(request: IncomingMessage): Promise<PracticeRequest> {
  const { headers, method = '', url = '/' } = request
  const path = url.replace(/[?#].*$/s, '')
  const googleKey = headers['x-goog-api-key'] || new URLSearchParams(url.slice(path.length)).get('key')
  const keys = [headers['x-api-key'], headers['api-key'], googleKey, readAuthorization(headers.authorization)]
  return {
    method,
    path,
    key: String(keys.find(Boolean) ?? ''),
    dialect: googleKey ? 'gemini' : isOpenai(headers) ? 'openai' : 'anthropic',
    userAgent: headers['user-agent'] ?? '',
    body: await readBody(request),
    framing: 'sse',
  }
}

/** A request that is signed for AWS has the id of its key in place of the key. */
function readAuthorization(authorization = ''): string {
  const [, signer] = /^AWS4-HMAC-SHA256 Credential=([^/]+)\//.exec(authorization) ?? []
  return signer ?? authorization.replace(/^Bearer\s+/i, '')
}

function isOpenai(headers: IncomingMessage['headers']): boolean {
  if (headers['api-key'] !== undefined) return true
  return headers.authorization !== undefined && !headers['x-api-key'] && !headers['anthropic-version']
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  let text = ''
  try {
    for await (const chunk of request) {
      size += chunk.length
      if (size <= bodyLimit) chunks.push(chunk)
    }
    if (size > bodyLimit) return { kind: 'too_large' }
    const body = unpackBody(Buffer.concat(chunks), request.headers['content-encoding'] ?? '', bodyLimit)
    text = body.toString('utf8')
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return { kind: 'not_json', text } // or the client went away: then no answer is awaited
  }
}
