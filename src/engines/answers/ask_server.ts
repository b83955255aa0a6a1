/** One plain request to a model server, for checks before any run, and its list of models; it loads no SDK. */
import type { FailureKind } from '../../../schemas/run.ts'
import { errorMessage } from '../../base/errors/error.ts'
import { fetchByProxy } from '../../base/http/fetch.ts'
import { tryParseJson } from '../../base/json/json.ts'
import { findNearest } from '../../base/text/did_you_mean.ts'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { kindOfStatus } from '../limits/error_text.ts'

const serverTimeoutMs = 15_000

export interface ServerRequest {
  /** The server's address as the user knows it, and as messages show it. */
  base: string
  /** Path below the address, with a leading /. */
  path: string
  headers: Readonly<Record<string, string>>
  /** Sent as JSON by POST; absent: the request is a GET. */
  body?: unknown
  signal: AbortSignal
}

/** The server's answer. `body`: its JSON, undefined if it is not JSON; `message`: the text of a refusal, or why there was no answer. */
export type ServerAnswer =
  | { as: 'answer'; status: number; body: unknown }
  | { as: 'refusal'; status: number; kind: FailureKind; message: string }
  | { as: 'silence'; message: string }

/** Asks once, for at most 15 s. Rejects only when aborted. */
export async function askServer({ base, path, headers, body, signal }: ServerRequest): Promise<ServerAnswer> {
  using limit = startTimeLimit(serverTimeoutMs, [signal])
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent = {
    headers: { accept: 'application/json', ...type, ...headers },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    signal: limit.signal,
  }
  const address = `${base.replace(/\/$/, '')}${path}`
  try {
    const response = await fetchByProxy(address, sent)
    const { status } = response
    const text = await response.text()
    const said = tryParseJson(text)
    if (response.ok) return { as: 'answer', status, body: said }
    return {
      as: 'refusal',
      status,
      kind: kindOfStatus(status),
      message: `${status} ${findBodyError(said) ?? text}`.trim(),
    }
  } catch (error) {
    signal.throwIfAborted()
    if (limit.signal.aborted)
      return { as: 'silence', message: `${base} did not answer within ${serverTimeoutMs / 1000} s` }
    return { as: 'silence', message: `can't reach ${base}: ${innermostMessage(error)}` }
  }
}

/** Anthropic, OpenAI and most compatible servers send { error: { message } }. */
function findBodyError(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null
  const { error } = body
  if (typeof error !== 'object' || error === null || !('message' in error)) return null
  return typeof error.message === 'string' ? error.message : null
}

/** The message of the innermost cause: "fetch failed" explains nothing, ECONNREFUSED does. */
export function innermostMessage(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? innermostMessage(error.cause) : errorMessage(error)
}

/** The ids in { data: [{ id }, …] }; null: the body is something else. */
export function findModelIds(body: unknown): string[] | null {
  if (typeof body !== 'object' || body === null || !('data' in body) || !Array.isArray(body.data)) return null
  return body.data.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && 'id' in one && typeof one.id === 'string' ? one.id : [],
  )
}

export function suggestModel(model: string, known: readonly string[]): string {
  const [near] = findNearest(model, known, 1)
  if (near !== undefined) return `did you mean --model ${near}?`
  const some = known.slice(0, 5).join(', ')
  return some === '' ? 'check the model id in --model' : `set --model to one of ${some}${known.length > 5 ? ', …' : ''}`
}
