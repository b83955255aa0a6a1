/** Reads from Gemini CLI's session file the tokens of each answer, and what its tools gave the model: the stream shows neither. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { FollowedFile } from '../../engines/cli/followed_file.ts'

const count = z.number().nonnegative().catch(0).default(0)

const response = z.record(z.string(), z.unknown())
const part = z.looseObject({ functionResponse: z.looseObject({ id: z.string(), response }).optional() })

const answer = z.looseObject({
  type: z.literal('gemini'),
  id: z.string(),
  timestamp: z.string().optional(),
  model: z.string().optional(),
  tokens: z.looseObject({ input: count, cached: count, output: count, thoughts: count }).nullish(),
  toolCalls: z.array(z.looseObject({ id: z.string(), result: z.array(part).nullish() })).nullish(),
})

/** Tokens of one answer; cached ones are part of the input, thoughts are not part of the output. */
export type GeminiTokens = Record<'input' | 'cached' | 'output' | 'thoughts', number>

/** Follows the session file below `folder` while it is written. */
export class GeminiSession {
  /** Of each complete answer, by its id: it is written again once its tools have ended. */
  readonly tokens = new Map<string, GeminiTokens>()
  /** The model that answered last. */
  model: string | null = null
  /** When it answered last, in ms since 1970; 0: never. */
  answeredAt = 0

  readonly #file: FollowedFile
  readonly #outputs = new Map<string, string>()

  constructor(folder: string) {
    this.#file = new FollowedFile(() => findGeminiSession(folder))
  }

  /** What the call with this id gave the model; null: not known. */
  output(id: string): string | null {
    this.catchUp()
    return this.#outputs.get(id) ?? null
  }

  catchUp(): void {
    for (const line of this.#file.readLines()) {
      const read = answer.safeParse(tryParseJson(line))
      if (read.success) this.#take(read.data)
    }
  }

  /** Leaves out what has been written by now. */
  skipWritten(): void {
    this.#file.skipWritten()
  }

  close(): void {
    this.#file.close()
  }

  #take({ id, timestamp = '', model, tokens, toolCalls }: z.infer<typeof answer>): void {
    if (tokens) {
      this.tokens.set(id, tokens)
      this.answeredAt = Date.parse(timestamp) || this.answeredAt
      this.model = model ?? this.model
    }
    for (const { id: call, result } of toolCalls ?? []) {
      const [given] = (result ?? []).flatMap(({ functionResponse }) => functionResponse ?? [])
      if (given !== undefined) this.#outputs.set(call, toText(given.response))
    }
  }
}

function toText({ output, error, ...rest }: z.infer<typeof response>): string {
  const value = output ?? error ?? rest
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The session's file below a folder, null: there is none. Its folder has one session; those of sub-agents are in folders of their own. */
export function findGeminiSession(folder: string): string | null {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const file = found.filter((one) => /^[^/]+\/chats\/session-[^/]+\.jsonl$/.test(one)).sort()[0]
  return file === undefined ? null : path.join(folder, file)
}
