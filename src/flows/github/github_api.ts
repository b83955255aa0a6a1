/** Requests to GitHub's REST API: repeated after a failure of the server or a rate limit, never with the token in a message. */
import { errorMessage } from '../../base/errors/error.ts'
import { fetchByProxy } from '../../base/http/fetch.ts'
import { tryParseJson } from '../../base/json/json.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { withRetry } from '../../jobs/retry.ts'

export interface GithubApi {
  /** Such as https://api.github.com. */
  url: string
  token: string
  signal: AbortSignal
  /** Milliseconds for one request, and for the first wait before it is repeated. */
  timeoutMs?: number
  baseMs?: number
}

export interface GithubRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: Readonly<Record<string, unknown>>
}

/** `status` 0: no answer. */
export type GithubAnswer = { ok: true; value: unknown } | { ok: false; status: number; message: string }

/** A job does not wait longer than this for a comment. */
const longestWaitMs = 120_000

export async function askGithub(api: GithubApi, request: GithubRequest): Promise<GithubAnswer> {
  const { signal, baseMs = 1000 } = api
  const { answer } = await withRetry(() => attemptRequest(api, request), { retries: 3, signal, baseMs, capMs: 5000 })
  return answer
}

async function attemptRequest({ url, token, signal, timeoutMs = 20_000 }: GithubApi, request: GithubRequest) {
  const { method, path, body } = request
  using limit = startTimeLimit(timeoutMs, [signal])
  try {
    const response = await fetchByProxy(`${url}${path}`, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'user-agent': 'whetstone',
        'x-github-api-version': '2022-11-28',
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: limit.signal,
    })
    const value = tryParseJson(await response.text())
    if (response.ok) return { answer: { ok: true, value } as const, retry: null }
    const answer = { ok: false, status: response.status, message: readMessage(value) } as const
    return { answer, retry: readRetry(response) }
  } catch (error) {
    signal.throwIfAborted()
    return { answer: { ok: false, status: 0, message: errorMessage(error) } as const, retry: { afterMs: null } }
  }
}

function readMessage(value: unknown): string {
  const isNamed = typeof value === 'object' && value !== null && 'message' in value
  return isNamed ? String(value.message) : 'no message'
}

/** null: pointless, or it would take too long. A rate limit is also answered with 403. */
function readRetry({ status, headers }: Response): { afterMs: number | null } | null {
  const [after, left, reset] = ['retry-after', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) =>
    headers.get(name),
  )
  const isLimited = status === 429 || (status === 403 && (after !== null || left === '0'))
  if (!isLimited && status < 500) return null
  const fromReset = left === '0' && reset ? Number(reset) * 1000 - Date.now() : null
  const waitMs = after ? Number(after) * 1000 : fromReset
  if (waitMs === null || !Number.isFinite(waitMs)) return { afterMs: null }
  return waitMs > longestWaitMs ? null : { afterMs: Math.max(0, waitMs) }
}
