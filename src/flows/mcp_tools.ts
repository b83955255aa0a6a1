/** What features add to the MCP server for agents: tools that only read, ask no model and start nothing; and the blind comparison. */
import * as z from 'zod'
import type { ComparisonSummary } from '../../schemas/comparison_summary.ts'
import type { EngineChoice } from '../../schemas/plan.ts'
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

type McpPair = { eval_id: number; number: number; folder: string; A: { run: string }; B: { run: string } }

/** A comparison that the server plans, and starts when a person has approved it. */
export interface McpComparison {
  /** As given: the folders, and the judge. */
  request: { folder: string; other: string | null; judge: string | null }
  plan(context: FlowContext): Promise<{
    pairing: { output: string; a: string; b: string; pairs: McpPair[] }
    judge: EngineChoice
    /** Pairs that are judged already. */
    done: number
  }>
  start(context: FlowContext): Promise<{ folder: string; summary: ComparisonSummary; missing: number }>
}

/** `argv`: as after the program's name. */
type OpenComparison = (argv: readonly string[]) => Promise<McpComparison>

/** `compare`: by the feature that compares; absent: none does. */
export const mcpWork: { compare?: () => Promise<OpenComparison> } = {}
