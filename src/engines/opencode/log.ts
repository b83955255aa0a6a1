/** opencode's own log, which alone tells its version and that it tries a failed request again and again, without an end. */
import { closeSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { StringDecoder } from 'node:string_decoder'

const chunkBytes = 64 * 1024

/** Follows the log below the data folder, as far as it is written. */
export class OpencodeLog {
  version: string | null = null
  /** What the last failed request was answered. */
  lastError: string | null = null

  readonly #path: string
  readonly #decoder = new StringDecoder('utf8')
  #file: number | null = null
  #line = ''
  #failures = 0

  constructor(data: string) {
    this.#path = path.join(data, 'opencode/log/opencode.log')
  }

  /** How often in a row a request has failed. */
  retries(): number {
    this.catchUp()
    return this.#failures
  }

  catchUp(): void {
    this.#file ??= opened(this.#path)
    if (this.#file === null) return
    const chunk = Buffer.alloc(chunkBytes)
    for (;;) {
      const bytes = readSync(this.#file, chunk, 0, chunkBytes, null)
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

  #take(line: string): void {
    this.version ??= / message=created .* version=(\d+\.\d+\.\d+)/.exec(line)?.[1] ?? null
    if (/ message=loop .*\bstep=/.test(line)) this.#failures = 0
    else if (/ message="stream error" /.test(line)) {
      this.#failures += 1
      this.lastError = /error\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line.slice(-300)
    }
  }
}

function opened(file: string): number | null {
  try {
    return openSync(file, 'r')
  } catch {
    return null // not made yet
  }
}
