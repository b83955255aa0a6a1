/** Reads from Gemini CLI's debug log that a request has failed and will be sent again: nothing else shows it at once. */
import { FollowedLines } from '../cli/followed_lines.ts'

export interface GeminiRequestError {
  status: number | null
  message: string
}

/** Follows the debug log while it is written. */
export class GeminiErrors {
  /** The last failed request. */
  last: (GeminiRequestError & { at: number }) | null = null

  readonly #lines: FollowedLines

  constructor(file: string) {
    this.#lines = new FollowedLines(() => file)
  }

  catchUp(): void {
    for (const line of this.#lines.next()) {
      const [, time = '', status, said = ''] =
        /^\[(\S+)\] \[WARN\] Attempt \d+ failed(?: with status (\d+))?\S*(.*)$/.exec(line) ?? []
      if (time === '') continue
      const message = said.replace(/^\s*Retrying with backoff\.\.\.\s*/, '').trim() || `a request failed with ${status}`
      this.last = { at: Date.parse(time) || 0, status: status === undefined ? null : Number(status), message }
    }
  }

  close(): void {
    this.#lines.close()
  }
}
