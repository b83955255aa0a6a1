/** Reads Gemini CLI's own log: requests, answers with their tokens, errors, and the skills that the model is offered. */
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { FollowedLines } from '../cli/followed_lines.ts'

const count = z.number().nonnegative().catch(0).default(0)

const attributes = z.looseObject({
  'event.name': z.string(),
  'event.timestamp': z.string().optional(),
  'gen_ai.system_instructions': z.string().optional(),
  role: z.string().optional(),
  model: z.string().optional(),
  input_token_count: count,
  output_token_count: count,
  cached_content_token_count: count,
  thoughts_token_count: count,
  finish_reasons: z.array(z.string()).optional(),
  'error.message': z.string().optional(),
  status_code: z.union([z.number(), z.string()]).optional(),
})

const record = z.looseObject({ attributes })

type Attributes = z.infer<typeof attributes>

/** Tokens of one answer; cached ones are part of the input, thoughts are not part of the output. */
export interface GeminiTokens {
  input: number
  cached: number
  output: number
  thoughts: number
}

export interface GeminiRequestError {
  status: number | null
  message: string
}

/** Follows the log while it is written. */
export class GeminiLog {
  /** Of each answer that was complete, whoever asked: the agent, or a helper such as its summary of a long conversation. */
  readonly tokens: GeminiTokens[] = []
  /** The model that answered the agent last. */
  model: string | null = null
  /** Why the agent's last answer ended, in the log's words. */
  finishReason: string | null = null
  /** The names of the skills in the model's instructions; null: no request yet. */
  skills: string[] | null = null
  /** The error of the last request, until a request is answered. */
  error: GeminiRequestError | null = null

  readonly #lines: FollowedLines
  readonly #onRetry: (error: GeminiRequestError, waitMs: number) => void
  #failedAt: number | null = null
  #open: string[] = []

  /** `onRetry` is called for each request that is sent after one has failed. */
  constructor(file: string, onRetry: (error: GeminiRequestError, waitMs: number) => void) {
    this.#lines = new FollowedLines(() => file)
    this.#onRetry = onRetry
  }

  /** Records are JSON objects over several lines; only the braces around a record begin a line. */
  catchUp(): void {
    for (const line of this.#lines.next()) {
      if (line === '{') this.#open = []
      this.#open.push(line)
      if (line === '}') this.#takeRecord(this.#open.splice(0).join('\n'))
    }
  }

  close(): void {
    this.#lines.close()
  }

  #takeRecord(text: string): void {
    if (!text.includes('"event.name"')) return // spans and metrics
    const read = record.safeParse(tryParseJson(text))
    if (read.success) this.#take(read.data.attributes)
  }

  #take(event: Attributes): void {
    const at = Date.parse(event['event.timestamp'] ?? '') || 0
    switch (event['event.name']) {
      case 'gemini_cli.api_request':
        if (this.error !== null && this.#failedAt !== null) this.#onRetry(this.error, Math.max(0, at - this.#failedAt))
        this.#failedAt = null
        return
      case 'gemini_cli.api_error': {
        const status = Number(event.status_code)
        this.error = { status: status >= 400 ? status : null, message: event['error.message'] ?? 'its request failed' }
        this.#failedAt = at
        return
      }
      case 'gemini_cli.api_response':
        this.#takeAnswer(event)
        return
      case 'gen_ai.client.inference.operation.details':
        if (event['gen_ai.system_instructions'] !== undefined) {
          this.skills ??= listSkills(event['gen_ai.system_instructions'])
        }
    }
  }

  #takeAnswer(event: Attributes): void {
    this.error = null
    this.tokens.push({
      input: event.input_token_count,
      cached: event.cached_content_token_count,
      output: event.output_token_count,
      thoughts: event.thoughts_token_count,
    })
    if (event.role !== undefined && event.role !== 'main') return
    this.model = event.model ?? this.model
    this.finishReason = event.finish_reasons?.at(-1) ?? this.finishReason
  }
}

/** The names in the list of skills; empty: the instructions have no such list. */
function listSkills(instructions: string): string[] {
  const [list = ''] = /<available_skills>[\s\S]*?<\/available_skills>/.exec(instructions) ?? []
  return [...list.matchAll(/<name>(.*?)<\/name>/g)].map(([, name = '']) => name)
}
