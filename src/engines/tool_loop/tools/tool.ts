/** What a tool of the SDK engines is, and the place in which it works. */
import { z } from 'zod'
import { codeOf, messageOf } from '../../../base/error.ts'
import type { Sandbox } from '../../../base/sandbox/policy.ts'
import type { SandboxView } from '../../../base/sandbox/view.ts'
import { isShortage } from '../../../base/shortage.ts'

/** Where a tool works. */
export interface ToolPlace {
  /** Working folder, absolute, links resolved. */
  cwd: string
  env: Readonly<Record<string, string>>
  /** True: nothing outside of `cwd` may be read. */
  confined: boolean
  /** Programs run in it; null: nowhere but in `cwd`. */
  sandbox: Sandbox | null
  /** What of the machine the sandbox shows, for the tools that run no program; null where there is none. */
  view: SandboxView | null
  signal: AbortSignal
}

export interface ToolImage {
  mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  /** base64 */
  data: string
}

export interface ToolAnswer {
  text: string
  isError: boolean
  image?: ToolImage
}

/** The model's mistake: told to it as the tool's result. */
export class ToolMistake extends Error {
  override readonly name = 'ToolMistake'
}

export interface LocalTool {
  name: string
  description: string
  /** JSON Schema of the input. */
  inputSchema: { type: 'object'; properties?: unknown; required?: string[] }
  /** Whether it only reads files. */
  readOnly: boolean
  /** Answers the model; resolves for every failure of the call, rejects only when aborted or where this machine is short of something. */
  run(input: unknown, place: ToolPlace): Promise<ToolAnswer>
}

interface ToolDefinition<S extends z.ZodType> {
  name: string
  description: string
  readOnly: boolean
  input: S
  work(input: z.infer<S>, place: ToolPlace): Promise<ToolAnswer | string>
}

/** Makes a tool: its input is checked against the schema before it works. */
export function defineTool<S extends z.ZodObject>(definition: ToolDefinition<S>): LocalTool {
  const { name, description, readOnly, input, work } = definition
  const { properties, required } = z.toJSONSchema(input, { io: 'input' })
  return {
    name,
    description,
    readOnly,
    inputSchema: { type: 'object', properties, ...(required === undefined ? {} : { required }) },
    async run(raw, place) {
      const parsed = input.safeParse(raw)
      if (!parsed.success) return { text: `${name}: ${z.prettifyError(parsed.error)}`, isError: true }
      try {
        const answer = await work(parsed.data, place)
        return typeof answer === 'string' ? { text: answer, isError: false } : answer
      } catch (error) {
        place.signal.throwIfAborted()
        if (isShortage(error) && codeOf(error) !== 'EROFS') throw error // a place where nobody may write is the model's choice
        return { text: messageOf(error), isError: true }
      }
    },
  }
}
