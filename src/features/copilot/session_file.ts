/** Reads Copilot's own record of a session, during the run: the stream shows neither tokens nor why a response ended. */
import * as z from 'zod'
import type { Usage } from '../../../schemas/usage.ts'
import { tryParseJson } from '../../base/json/json.ts'
import { FollowedFile } from '../../engines/cli/followed_file.ts'
import { addUsage, noUsage } from '../../engines/models/usage.ts'

const count = z.number().nonnegative().catch(0).default(0)

const entry = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('session.start'),
    data: z.looseObject({ copilotVersion: z.string().optional() }),
  }),
  z.looseObject({
    type: z.literal('session.error'),
    data: z.looseObject({ message: z.string().catch('').default(''), statusCode: z.number().optional() }),
  }),
  z.looseObject({
    type: z.literal('session.usage_record'),
    timestamp: z.string().optional(),
    agentId: z.string().optional(),
    data: z.looseObject({
      usage: z.looseObject({
        model: z.string().optional(),
        /** With cached tokens. */
        inputTokens: count,
        /** With reasoning. */
        outputTokens: count,
        cacheReadTokens: count,
        cacheWriteTokens: count,
        reasoningTokens: count,
        finishReason: z.string().optional(),
        parentToolCallId: z.string().optional(),
      }),
    }),
  }),
])

/** Characters; a longer line contains no entry that is used here. */
const lineLimit = 2 * 1024 * 1024

/** Follows the file while it is written. */
export class CopilotSession {
  version: string | null = null
  /** The model of the last response. */
  model: string | null = null
  /** Tokens of all responses so far, sub-agents included; null: none. */
  usage: Usage | null = null
  /** Why the agent's last response ended, in Copilot's words; null: there is none, or it does not say. */
  finishReason: string | null = null

  /** When the last response ended, in ms since 1970; 0: there is none. */
  answeredAt = 0
  /** Why the session ended early; null: it did not. */
  error: { message: string; status: number | null } | null = null

  readonly #file: FollowedFile

  /** `find`: the file's path; null: it is not known yet. */
  constructor(find: () => string | null) {
    this.#file = new FollowedFile(find)
  }

  /** Reads what has been written since the last time. */
  catchUp(): void {
    for (const line of this.#file.readLines()) if (line.length <= lineLimit) this.#take(line)
  }

  /** Leaves out what has been written by now. */
  skipWritten(): void {
    this.#file.skipWritten()
  }

  close(): void {
    this.#file.close()
  }

  #take(line: string): void {
    const read = entry.safeParse(tryParseJson(line))
    if (!read.success) return
    if (read.data.type === 'session.start') {
      this.version = read.data.data.copilotVersion ?? null
      return
    }
    if (read.data.type === 'session.error') {
      const { message, statusCode } = read.data.data
      this.error = { message, status: statusCode ?? null }
      return
    }
    this.answeredAt = Date.parse(read.data.timestamp ?? '') || this.answeredAt
    const { usage } = read.data.data
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
    this.usage = addUsage(this.usage ?? noUsage, {
      input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
      output_tokens: outputTokens,
      cache_read_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
      reasoning_tokens: reasoningTokens,
    })
    if (read.data.agentId !== undefined || usage.parentToolCallId !== undefined) return
    this.model = usage.model ?? this.model
    this.finishReason = usage.finishReason ?? null
  }
}
