/** Reads Copilot's own log: over ACP nothing else shows that a request failed and is sent again, or that a server did not start. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { FollowedFile } from '../cli/followed_file.ts'

const details = z.looseObject({ http_status: z.number().optional() })
const server = z.looseObject({ server_name: z.string() })

/** Follows the log of the only process in the folder. */
export class CopilotRequestLog {
  /** The last request that failed: when, in ms since 1970, and its HTTP status (null: the connection broke); null: none did. */
  failure: { at: number; status: number | null } | null = null

  /** MCP servers that did not start. */
  readonly brokenServers: string[] = []

  readonly #file: FollowedFile

  /** `folder`: its folder of logs. */
  constructor(folder: string) {
    this.#file = new FollowedFile(() => {
      const name = readdirSync(folder).find((one) => /^process-.*\.log$/.test(one))
      return name === undefined ? null : path.join(folder, name)
    })
  }

  catchUp(): void {
    for (const line of this.#file.readLines()) this.#take(line)
  }

  close(): void {
    this.#file.close()
  }

  #take(line: string): void {
    const broken = server.safeParse(tryParseJson(/MCP server connection failed (\{.*)$/.exec(line)?.[1] ?? ''))
    if (broken.success) this.brokenServers.push(broken.data.server_name)
    const [, time = '', json = ''] = /^(\S+) .*Model provider request failed (\{.*)$/.exec(line) ?? []
    const read = details.safeParse(tryParseJson(json))
    if (read.success) this.failure = { at: Date.parse(time) || Date.now(), status: read.data.http_status ?? null }
  }
}
