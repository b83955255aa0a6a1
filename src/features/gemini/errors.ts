/** Reads from Gemini CLI's debug log that a request has failed and will be sent again, or that a server did not start: nothing else shows it at once. */
import { FollowedFile } from '../../engines/cli/followed_file.ts'

export interface GeminiRequestError {
  status: number | null
  message: string
}

/** It did not start, or it refused the suite's headers. */
const brokenServer =
  /(?:Error during discovery for MCP server '(?=[^']+')|MCP server '(?=[^']+' requires authentication))(?<name>[^']+)'/

/** Follows the debug log while it is written. */
export class GeminiErrors {
  /** The last failed request. */
  last: (GeminiRequestError & { at: number }) | null = null

  /** MCP servers that did not start. */
  readonly brokenServers: string[] = []

  readonly #file: FollowedFile

  constructor(file: string) {
    this.#file = new FollowedFile(() => file)
  }

  catchUp(): void {
    for (const line of this.#file.readLines()) {
      const server = brokenServer.exec(line)?.groups?.name
      if (server !== undefined && !this.brokenServers.includes(server)) this.brokenServers.push(server)
      const [, time = '', status, said = ''] =
        /^\[(\S+)\] \[WARN\] Attempt \d+ failed(?: with status (\d+))?\S*(.*)$/.exec(line) ?? []
      if (time === '') continue
      const message = said.replace(/^\s*Retrying with backoff\.\.\.\s*/, '').trim() || `a request failed with ${status}`
      this.last = { at: Date.parse(time) || 0, status: status === undefined ? null : Number(status), message }
    }
  }

  /** Leaves out what has been written by now. */
  skipWritten(): void {
    this.#file.skipWritten()
  }

  close(): void {
    this.#file.close()
  }
}
