/** opencode's own log, which alone tells its version and that it tries a failed request again and again. */
import { closeSync, readSync } from 'node:fs'
import path from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { openPlain } from '../../base/plain_file.ts'

/** One for all, since each is read at once. */
const chunk = Buffer.allocUnsafe(64 * 1024)

/** Follows the log below the data folder, as far as it is written. */
export class OpencodeLog {
  version: string | null = null
  /** What the last failed request was answered. */
  lastError: string | null = null

  readonly #path: string
  readonly #onRetry: (error: string, waitMs: number) => void
  readonly #decoder = new StringDecoder('utf8')
  #file: number | null = null
  #line = ''
  #failures = 0
  /** When the last request failed, if none has been made since. */
  #failedAt: number | null = null

  /** `onRetry` hears of each request that is tried again: what the last was answered, and how long it waited. */
  constructor(data: string, onRetry: (error: string, waitMs: number) => void) {
    this.#onRetry = onRetry
    this.#path = path.join(data, 'opencode/log/opencode.log')
  }

  /** A request has been made since one failed, in the same step. */
  get isTryingAgain(): boolean {
    return this.#failures > 0 && this.#failedAt === null
  }

  /** How often in a row a request has failed. */
  retries(): number {
    this.catchUp()
    return this.#failures
  }

  catchUp(): void {
    this.#file ??= opened(this.#path)
    if (this.#file === null) return
    for (;;) {
      const bytes = readSync(this.#file, chunk, 0, chunk.length, null)
      if (bytes === 0) return
      const lines = (this.#line + this.#decoder.write(chunk.subarray(0, bytes))).split('\n')
      this.#line = lines.pop() ?? ''
      for (const line of lines) this.#take(line)
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }

  #again(at: number): void {
    if (this.#failedAt !== null) this.#onRetry(this.lastError ?? '', Math.max(0, at - this.#failedAt))
    this.#failedAt = null
  }

  #take(line: string): void {
    this.version ??= / message=created .* version=(\d+\.\d+\.\d+)/.exec(line)?.[1] ?? null
    if (/ message=loop .*\bstep=/.test(line)) this.#failures = 0
    else if (/ message=stream /.test(line)) this.#again(timeOf(line))
    else if (/ message="stream error" /.test(line)) {
      this.#failures += 1
      this.#failedAt = timeOf(line)
      this.lastError = /error\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line.slice(-300)
    }
  }
}

function timeOf(line: string): number {
  return Date.parse(/^timestamp=(\S+)/.exec(line)?.[1] ?? '') || 0
}

function opened(file: string): number | null {
  try {
    return openPlain(file)
  } catch {
    return null // not made yet
  }
}
