/** Reads Gemini CLI's own log: why answers ended, waits before further requests, and the skills that the model is offered. It is written every five seconds. */
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { FollowedFile } from '../../engines/cli/followed_file.ts'

const attributes = z.looseObject({
  'event.name': z.string(),
  'event.timestamp': z.string().optional(),
  'gen_ai.system_instructions': z.string().optional(),
  role: z.string().optional(),
  finish_reasons: z.array(z.string()).optional(),
  status_code: z.union([z.number(), z.string()]).optional(),
})

const record = z.looseObject({ attributes })

type Attributes = z.infer<typeof attributes>

/** Follows the log while it is written. */
export class GeminiLog extends FollowedFile {
  /** Why the agent's last answer ended, in the log's words and lower case. */
  finishReason: string | null = null
  /** The names of the skills in the model's instructions; null: no request yet. */
  skills: string[] | null = null

  readonly #onRetry: (status: number, waitMs: number) => void
  #failed: { status: number; at: number } | null = null
  #open: string[] = []

  /** `onRetry` is called for each request that is sent after one has failed, with the status of the failed one (NaN: none). */
  constructor(file: string, onRetry: (status: number, waitMs: number) => void) {
    super(() => file)
    this.#onRetry = onRetry
  }

  /** Records are JSON objects over several lines; only the braces around a record begin a line. */
  catchUp(): void {
    for (const line of this.readLines()) {
      if (line === '{') this.#open = []
      this.#open.push(line)
      if (line === '}') this.#takeRecord(this.#open.splice(0).join('\n'))
    }
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
        if (this.#failed !== null) this.#onRetry(this.#failed.status, Math.max(0, at - this.#failed.at))
        this.#failed = null
        return
      case 'gemini_cli.api_error':
        this.#failed = { status: Number(event.status_code), at }
        return
      case 'gemini_cli.api_response':
        this.#failed = null
        // a helper, such as its summary of a long conversation, has another role
        if (event.role === undefined || event.role === 'main')
          this.finishReason = event.finish_reasons?.at(-1)?.toLowerCase() ?? null
        return
      case 'gen_ai.client.inference.operation.details':
        if (event['gen_ai.system_instructions'] !== undefined) {
          this.skills ??= listSkills(event['gen_ai.system_instructions'])
        }
    }
  }
}

/** The names in the list of skills; empty: the instructions have no such list. */
function listSkills(instructions: string): string[] {
  const [list = ''] = /<available_skills>[\s\S]*?<\/available_skills>/.exec(instructions) ?? []
  return [...list.matchAll(/<name>(.*?)<\/name>/g)].map(([, name = '']) => name)
}
