/** Defines a tool of the SDK engines, the place where it works, and how much of its output is kept. */
import * as z from 'zod'
import { errnoCode, errorMessage } from '../../../base/errors/error.ts'
import type { TaskImage } from '../../../base/fs/image_type.ts'
import { isShortage } from '../../../base/process/resource_shortage.ts'
import type { SandboxView } from '../../../base/sandbox/hidden_places.ts'
import type { Sandbox } from '../../../base/sandbox/policy.ts'
import type { EngineError } from '../../engine.ts'

export interface ToolPlace {
  /** Working folder, absolute, links resolved. */
  cwd: string
  env: Readonly<Record<string, string>>
  /** True: nothing outside `cwd` may be read. */
  confined: boolean
  /** The sandbox for programs; null: they run without one. */
  sandbox: Sandbox | null
  /** Which parts of the machine the sandbox shows, for the tools that run no program; null: there is no sandbox. */
  view: SandboxView | null
  signal: AbortSignal
}

export interface ToolAnswer {
  text: string
  isError: boolean
  image?: TaskImage
  /** The run can't go on: the provider failed inside the call. Absent: it can. */
  failure?: EngineError
}

/** A mistake of the model, which it gets as the tool's result. */
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
  /** Answers the model. Resolves for every failure of the call; rejects only when aborted or when this machine runs short of a resource. */
  run(input: unknown, place: ToolPlace): Promise<ToolAnswer>
}

interface ToolDefinition<S extends z.ZodType> {
  name: string
  description: string
  readOnly: boolean
  input: S
  work(input: z.infer<S>, place: ToolPlace): Promise<ToolAnswer | string>
}

/** Creates a tool that checks its input against the schema before it works. */
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
        if (isShortage(error) && errnoCode(error) !== 'EROFS') throw error // the model chose a path on a read-only file system
        return { text: errorMessage(error), isError: true }
      }
    },
  }
}

/** The most characters of one tool result. */
const resultLimit = 30_000

/** The text itself, or its head and tail with a line between them that says how many characters are left out. */
export function clipOutput(text: string, limit = resultLimit): string {
  if (text.length <= limit) return text
  const half = Math.floor(limit / 2)
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(-half)}`
}
