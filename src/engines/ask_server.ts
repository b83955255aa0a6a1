/** One plain request to a model server, for what is asked before any run: neither an SDK nor Node's fetch is loaded for it. */
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { FailureKind } from '../../schemas/run.ts'
import { messageOf } from '../base/error.ts'
import { timeLimit } from '../base/time_limit.ts'
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
  using limit = timeLimit(patienceMs, [signal])
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent: Sent = {
    headers: { accept: 'application/json', ...type, ...headers },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    signal: limit.signal,
  }
  const address = `${base.replace(/\/$/, '')}${path}`
  try {
    const { status, text } = (await askPlainly(address, sent)) ?? (await askByFetch(address, sent))
    const said = jsonIn(text)
    if (status >= 200 && status < 300) return { as: 'answer', status, body: said }
    return { as: 'refusal', status, kind: kindOfStatus(status), message: `${status} ${errorIn(said) ?? text}`.trim() }
  } catch (error) {
    signal.throwIfAborted()
    if (limit.signal.aborted) return { as: 'silence', message: `${base} gave no answer within ${patienceMs / 1000} s` }
    return { as: 'silence', message: `can't reach ${base}: ${deepest(error)}` }
  }
}

interface Sent {
  method?: 'POST'
  body?: string
  headers: Record<string, string>
  signal: AbortSignal
}

interface Said {
  status: number
  text: string
}

/** null: only fetch knows what to do (a redirection, an encoded answer, a proxy of the environment, an address that it refuses). */
function askPlainly(base: string, { body, headers, ...options }: Sent): Promise<Said | null> {
  const address = new URL(base)
  const isPlain = /^https?:$/.test(address.protocol) && address.username === '' && address.password === ''
  if (!isPlain || process.env.NODE_USE_ENV_PROXY !== undefined) return Promise.resolve(null)
  const request = address.protocol === 'https:' ? requestHttps : requestHttp
  const usual = { 'user-agent': 'node', 'accept-encoding': 'identity', connection: 'close' }
  return new Promise((resolve, reject) => {
    const hear = (response: IncomingMessage) => {
      const { statusCode: status = 0, headers: said } = response
      if ((isElsewhere(status) && said.location !== undefined) || said['content-encoding'] !== undefined) {
        response.destroy()
        resolve(null)
        return
      }
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.once('error', reject)
      response.once('end', () => resolve({ status, text: new TextDecoder().decode(Buffer.concat(parts)) }))
    }
    const asked = request(address, { ...options, headers: { ...usual, ...headers }, agent: false }, hear)
    asked.once('error', reject)
    asked.once('close', () => reject(new Error('the connection was closed'))) // after an answer it says nothing new
    asked.end(body)
  })
}

function isElsewhere(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

async function askByFetch(address: string, sent: Sent): Promise<Said> {
  const response = await fetch(address, sent)
  return { status: response.status, text: await response.text() }
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
