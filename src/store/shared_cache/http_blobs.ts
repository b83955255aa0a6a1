/** Blobs on an HTTP server with plain GET and PUT below one address, as remote caches of build tools have. */
import { errorMessage } from '../../base/errors/error.ts'
import { fetchByProxy } from '../../base/http/fetch.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { type BlobStore, maxBlobBytes } from './blob_store.ts'

export interface HttpBlobsOptions {
  /** Without user, password and query. */
  url: URL
  /** A bearer token, or user:password; null: none is sent. */
  token: string | null
  /** Longest time of one request, its body included, in milliseconds. */
  requestMs?: number
}

const usualRequestMs = 20_000

export function openHttpBlobs({ url, token, requestMs = usualRequestMs }: HttpBlobsOptions): BlobStore {
  const place = url.href.replace(/\/+$/, '')
  const authorization: Record<string, string> = token === null ? {} : { authorization: authorizationHeader(token) }
  const ask = <T>(name: string, { signal, ...init }: RequestInit, read: (answer: Response) => Promise<T>) =>
    withinLimit(requestMs, signal ?? null, async (limited) => {
      const answer = await fetchByProxy(`${place}/${name}`, {
        ...init,
        headers: { ...authorization, ...init.headers },
        redirect: 'error', // a redirect would send entries to an address that the user has not named
        signal: limited,
      })
      if (answer.ok) return await read(answer)
      await answer.body?.cancel()
      if (answer.status === 404 && init.method === 'GET') return null
      throw new Error(`${init.method} answered ${answer.status}`)
    })
  return {
    place,
    get: (name, signal) => ask(name, { method: 'GET', signal }, readLimited),
    async put(name, blob, signal) {
      const headers = { 'content-type': 'application/octet-stream' }
      const body = new Uint8Array(blob)
      await ask(name, { method: 'PUT', body, headers, signal }, async (answer) => await answer.body?.cancel())
    },
  }
}

/** A bearer token has no colon (RFC 6750, section 2.1), user and password do. */
function authorizationHeader(token: string): string {
  return token.includes(':') ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${token}`
}

/** Counts what arrives, whatever the server announces: a small compressed answer may be endless. */
async function readLimited(answer: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    if (size > maxBlobBytes) throw new Error(`an answer larger than ${maxBlobBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function withinLimit<T>(
  requestMs: number,
  signal: AbortSignal | null,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  using limit = startTimeLimit(requestMs, signal === null ? [] : [signal])
  try {
    return await work(limit.signal)
  } catch (error) {
    limit.signal.throwIfAborted()
    const cause = error instanceof Error ? error.cause : undefined // fetch hides the reason there
    throw new Error(errorMessage(cause ?? error))
  }
}
