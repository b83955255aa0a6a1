/** One plain request to a model server, for what is asked before any run: no SDK is loaded for it. */
import type { FailureKind } from '../../schemas/run.ts'
import { messageOf } from '../base/error.ts'
import { kindOfStatus } from './http_status.ts'

const patienceMs = 15_000

export interface ServerRequest {
  /** The server's address as the user knows it; it is what messages name. */
  base: string
  /** Below it, with a leading /. */
  path: string
  headers: Readonly<Record<string, string>>
  /** Sent as JSON by POST; absent: a GET. */
  body?: unknown
  signal: AbortSignal
}

/** What came back. `body` is the JSON of it, undefined where it is none; `message` says what an error answer says. */
export type ServerAnswer =
  | { as: 'answer'; status: number; body: unknown }
  | { as: 'refusal'; status: number; kind: FailureKind; message: string }
  | { as: 'silence'; message: string }

/** Asks once, for 15 s at most. Rejects only when aborted. */
export async function askServer({ base, path, headers, body, signal }: ServerRequest): Promise<ServerAnswer> {
  const limit = AbortSignal.timeout(patienceMs)
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  try {
    const response = await fetch(`${base.replace(/\/$/, '')}${path}`, {
      ...sent,
      headers: { accept: 'application/json', ...type, ...headers },
      signal: AbortSignal.any([signal, limit]),
    })
    const text = await response.text()
    const { status } = response
    const said = jsonIn(text)
    if (response.ok) return { as: 'answer', status, body: said }
    return { as: 'refusal', status, kind: kindOfStatus(status), message: `${status} ${errorIn(said) ?? text}`.trim() }
  } catch (error) {
    signal.throwIfAborted()
    if (limit.aborted) return { as: 'silence', message: `${base} gave no answer within ${patienceMs / 1000} s` }
    return { as: 'silence', message: `can't reach ${base}: ${deepest(error)}` }
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Anthropic, OpenAI and most that are compatible: { error: { message } }. */
function errorIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null
  const { error } = body
  if (typeof error !== 'object' || error === null || !('message' in error)) return null
  return typeof error.message === 'string' ? error.message : null
}

/** The innermost message: "fetch failed" says nothing, ECONNREFUSED does. */
export function deepest(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? deepest(error.cause) : messageOf(error)
}
