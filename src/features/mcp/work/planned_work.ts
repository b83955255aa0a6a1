/** What a plan stands for: what a person reads before it starts, what its id covers, and how it starts. */
import type { FlowEvent } from '../../../../schemas/flow_event.ts'
import type { McpJob, McpPlan } from '../../../../schemas/mcp_plan.ts'
import type { UserPrices } from '../../../../schemas/prices.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { Limits } from '../../../flows/limits/limits.ts'
import type { WorkEnd } from '../jobs.ts'

export interface PlannedWork {
  kind: McpPlan['kind']
  /** What a person reads, a fact a line; no line changes while the work proceeds. */
  lines: string[]
  /** Hashed into the id, with the lines: everything that decides what the work is. */
  content: unknown
  /** null: not known. */
  estimate: { usd: number | null; seconds: number | null; text: string }
  runs: { agent_runs: number; judge_calls: number }
  /** The most that it may cost in dollars; null: not known. */
  upperUsd: number | null
  /** Why it would not start. */
  refusals: string[]
  /** Commands of the suite, one a line. */
  commands: string[]
  /** A person has to see it: commands would run as the user, without a sandbox, or the agent assumes what a run costs. */
  needsPerson: boolean
  /** Dollars to count for a cost that is not reported; null: nothing. */
  assumedUsd: number | null
  prices: UserPrices | undefined
  limits: Limits | undefined
  /** Where its results are, as far as known before it starts, absolute; null: an event says it. */
  folder: string | null
  run: (context: FlowContext, start: WorkStart) => Promise<Extract<WorkEnd, { sentence: string }>>
}

interface WorkStart {
  /** A person saw the commands. */
  seen: boolean
  /** What was remembered of an earlier start of the plan; null: this is the first. */
  earlier: McpJob | null
  /** What all starts have spent until now. */
  spent: () => McpJob['spent']
}

/** The benchmark folder that an event names; null: it names none. */
export function findEventFolder(event: FlowEvent): string | null {
  return event.type === 'plan_ready' ? event.folder : null
}

/** A context for planning: nothing starts, and questions wait for the start. */
export function planningContext(env: FlowContext['env'], prices: UserPrices | undefined): FlowContext {
  const { signal } = new AbortController()
  const confirm = async () => false
  return { emit: () => {}, env, drain: signal, signal, now: () => new Date(), confirm, ...(prices && { prices }) }
}
