/** The tools that features add to the MCP server for agents. They only read: they ask no model and start nothing. */
import * as z from 'zod'
import type { FlowContext } from './flow_context.ts'

/** What comes first in the answer, in words, and the rest of it. */
export type ToolValue = { sentence: string } & Record<string, unknown>

/** The places that an agent names. Each throws UserError for one outside of the folders that the server may read. */
export interface McpPlaces {
  /** Absolute with links resolved; it need not exist. */
  resolve(given: string): Promise<string>
  resolveSkill(given: string): Promise<string>
  /** A benchmark folder; of a workspace, its newest benchmark. */
  resolveBenchmark(given: string): Promise<string>
  /** The benchmark's files are resources below it. */
  benchmarkUri(folder: string): string
}

export interface McpTool {
  title: string
  description: string
  input: z.ZodObject
  /** The fields of the answer besides `sentence`. */
  output: z.ZodRawShape
  /** `given`: what `input` has to parse. Throws UserError. */
  call(given: unknown, places: McpPlaces, context: FlowContext): Promise<ToolValue>
}

const plain = /^\P{Cc}*$/u

/** A text argument of at most so many characters. */
export const mcpText = (longest: number) =>
  z.string().min(1).max(longest).regex(plain, 'expected a text without control characters')
export const mcpPlace = mcpText(4096)

const tools: Record<string, () => Promise<McpTool>> = {}

/** Adds those of features, by name; again changes nothing. */
export function addMcpTools(more: Readonly<typeof tools>): void {
  Object.assign(tools, more)
}

export function listMcpTools(): Readonly<typeof tools> {
  return tools
}
