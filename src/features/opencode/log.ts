/** Reads opencode's own log: nothing else shows its version, and that it sends a failed request again and again. */
import path from 'node:path'
import { FollowedFile } from '../../engines/cli/followed_file.ts'

/** Follows the log below the data folder while it is written. */
export class OpencodeLog {
  version: string | null = null
  /** Whether the model has called a tool: the stream shows a call only once the tool has ended. */
  calledTool = false
  /** The error of the last failed request. */
  lastError: string | null = null
  /** MCP servers that did not start. */
  readonly brokenServers: string[] = []

  readonly #file: FollowedFile
  readonly #onRetry: (error: string, waitMs: number) => void
  #failures = 0
  /** When the last request failed, in ms since 1970; null: another request has been sent since, or none failed. */
  #failedAt: number | null = null

  /** `onRetry` is called for each request that is sent again, with the error of the last one and the wait in milliseconds. */
  constructor(data: string, onRetry: (error: string, waitMs: number) => void) {
    this.#onRetry = onRetry
    this.#file = new FollowedFile(() => path.join(data, 'opencode/log/opencode.log'))
  }

  /** Whether a request has been sent since one failed, in the same step. */
  get isTryingAgain(): boolean {
    return this.#failures > 0 && this.#failedAt === null
  }

  /** Whether, by the log read so far, a request has failed and none of this step has been answered since. */
  get isFailing(): boolean {
    return this.#failures > 0
  }

  /** How many requests in a row have failed. */
  retries(): number {
    this.catchUp()
    return this.#failures
  }

  catchUp(): void {
    for (const line of this.#file.readLines()) this.#take(line)
  }

  /** Leaves out what has been logged by now. */
  skipWritten(): void {
    this.#file.skipWritten()
  }

  close(): void {
    this.#file.close()
  }

  #again(at: number): void {
    if (this.#failedAt !== null) this.#onRetry(this.lastError ?? '', Math.max(0, at - this.#failedAt))
    this.#failedAt = null
  }

  #take(line: string): void {
    this.version ??= / message=created .* version=(\d+\.\d+\.\d+)/.exec(line)?.[1] ?? null
    if (/ message=loop .*\bstep=/.test(line)) this.#failures = 0
    else if (/ message=stream /.test(line)) this.#again(readLineTime(line))
    else if (/ message=evaluated permission=/.test(line)) {
      this.calledTool = true
      this.#failures = 0
    } else if (/ message="server unavailable" /.test(line)) {
      const name = / key=(\S+)/.exec(line)?.[1]
      if (name !== undefined && !this.brokenServers.includes(name)) this.brokenServers.push(name)
    } else if (/ message="stream error" /.test(line)) {
      this.#failures += 1
      this.#failedAt = readLineTime(line)
      this.lastError = /error\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line.slice(-300)
    }
  }
}

function readLineTime(line: string): number {
  return Date.parse(/^timestamp=(\S+)/.exec(line)?.[1] ?? '') || 0
}
