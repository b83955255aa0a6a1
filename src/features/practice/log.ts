/** The log of a practice server: requests and the rules that answered, in memory and as lines of a file. */
import { type FileHandle, open } from 'node:fs/promises'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import type { PracticeRequest } from './request.ts'

/** One request, without keys and tokens. */
export interface LoggedRequest {
  /** From 1, in order of arrival. */
  n: number
  /** ISO time of arrival. */
  at: string
  method: string
  /** Without the query. */
  path: string
  /** null: open, or ended without a status. */
  status: number | null
  model: string | null
  /** Absent: the request has none. */
  temperature?: number
  /** The level of effort, in any of the places where the APIs have it. */
  effort?: string
  /** At most so many tokens to think with, in APIs and for models that have no levels. */
  thinking_budget?: number
  /** The system prompt's text; empty: none. */
  system: string
  /** As sent. */
  messages: readonly unknown[]
  tools: readonly string[]
  /** The conversation's number among those with the same beginning. */
  seed: number | null
  turn: number | null
  /** The rule that answered; null: none matched, or the request was refused before. */
  rule: string | null
  /** Deliberate fault: "status 429", "cut", "malformed", "hang", "context_full", "max_in_flight" or "limit". */
  fault?: string
  headers: { 'user-agent': string }
}

/** An entry in which nothing is known of the answer. */
export function createEntry(
  n: number,
  { method, path, userAgent }: Pick<PracticeRequest, 'method' | 'path' | 'userAgent'>,
): LoggedRequest {
  const asked = { model: null, system: '', messages: [], tools: [] }
  const answered = { seed: null, turn: null, rule: null }
  const at = new Date().toISOString()
  return { n, at, method, path, status: null, ...asked, ...answered, headers: { 'user-agent': userAgent } }
}

/** Requests kept in memory; older ones are dropped. */
const keptCount = 10_000

export class RequestLog {
  readonly requests: LoggedRequest[] = []
  readonly #file: FileHandle | null
  #written: Promise<void> = Promise.resolve()
  #count = 0

  private constructor(file: FileHandle | null) {
    this.#file = file
  }

  /** Throws UserError when the file can't be appended to. */
  static async open(file: string | undefined): Promise<RequestLog> {
    if (file === undefined) return new RequestLog(null)
    try {
      return new RequestLog(await open(file, 'a'))
    } catch (error) {
      throw new UserError(
        `${file}: can't be written to (${errorMessage(error)})`,
        'choose a file in a folder that exists',
      )
    }
  }

  begin({ method, path, userAgent }: Pick<PracticeRequest, 'method' | 'path' | 'userAgent'>): LoggedRequest {
    this.#count += 1
    const entry = createEntry(this.#count, { method, path, userAgent })
    this.requests.push(entry)
    if (this.requests.length > keptCount) this.requests.shift()
    return entry
  }

  end(entry: LoggedRequest): void {
    const line = `${JSON.stringify(entry)}\n`
    // a log that is not writable (disk full) must not end the server
    this.#written = this.#written.then(() => this.#file?.appendFile(line)).catch(() => {})
  }

  async close(): Promise<void> {
    await this.#written
    await this.#file?.close()
  }
}
