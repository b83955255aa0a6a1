/** Reads what its tools gave the model from Gemini CLI's session file: the stream shows only what a person would see. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { FollowedLines } from '../cli/followed_lines.ts'

const response = z.record(z.string(), z.unknown())
const part = z.looseObject({ functionResponse: z.looseObject({ id: z.string(), response }).optional() })
const call = z.looseObject({ id: z.string(), result: z.array(part).nullish() })
const message = z.looseObject({ toolCalls: z.array(call) })

/** Follows the session file below `folder`. */
export class GeminiSession {
  readonly #lines: FollowedLines
  readonly #outputs = new Map<string, string>()

  constructor(folder: string) {
    this.#lines = new FollowedLines(() => findSession(folder))
  }

  /** What the call with this id gave the model; null: not known. */
  output(id: string): string | null {
    for (const line of this.#lines.next()) this.#take(line)
    return this.#outputs.get(id) ?? null
  }

  close(): void {
    this.#lines.close()
  }

  #take(line: string): void {
    if (!line.includes('"toolCalls"')) return
    const read = message.safeParse(tryParseJson(line))
    for (const { id, result } of read.success ? read.data.toolCalls : []) {
      const [answer] = (result ?? []).flatMap(({ functionResponse }) => functionResponse ?? [])
      if (answer !== undefined) this.#outputs.set(id, toText(answer.response))
    }
  }
}

function toText({ output, error, ...rest }: z.infer<typeof response>): string {
  const value = output ?? error ?? rest
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The main session is the first file; a sub-agent's session is in a folder of its own. */
function findSession(folder: string): string | null {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const file = found.filter((one) => /^[^/]+\/chats\/session-[^/]+\.jsonl$/.test(one)).sort()[0]
  return file === undefined ? null : path.join(folder, file)
}
