/** What a plan stands for: what a person reads before it starts, what its id covers, and how it starts; and what no plan may ask for. */
import type { McpJob, McpPlan } from '../../../schemas/mcp_plan.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { UserPrices } from '../../../schemas/prices.ts'
import type { SuiteCommand } from '../../../schemas/suite_command.ts'
import { UserError } from '../../base/errors/error.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { makeVisible } from '../../base/text/show_control_characters.ts'
import { mentionsCommand } from '../../engines/table.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { type Limits, noLimits } from '../../flows/limits/limits.ts'
import { formatDollars, formatPlural, formatSeconds } from '../../phases/4-report/text/format.ts'
import type { StoredResult } from './results.ts'
import type { McpSession } from './session.ts'

export interface PlannedWork {
  kind: McpPlan['kind']
  /** What a person reads, a fact a line; no line changes while the work proceeds. */
  lines: string[]
  /** Hashed into the id, with the lines: everything that decides what the work is. */
  content: unknown
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
  run: (context: FlowContext, start: WorkStart) => Promise<StoredResult>
}

interface WorkStart {
  /** A person saw the commands. */
  seen: boolean
  /** What was remembered of an earlier start of the plan; null: this is the first. */
  earlier: McpJob | null
  /** What all starts have spent until now. */
  spent: () => McpJob['spent']
}

/** A context for planning: nothing starts, and questions wait for the start. */
export function planningContext(env: FlowContext['env'], prices: UserPrices | undefined): FlowContext {
  const { signal } = new AbortController()
  const confirm = async () => false
  return { emit: () => {}, env, drain: signal, signal, now: () => new Date(), confirm, ...(prices && { prices }) }
}

/** Every value of a line is quoted on one line: a name can't add a line or look like an answer. */
const longest = 300
/** A person has to see what a command does, not only how it begins. */
const longestCommand = 4000

/** A value from outside, as JSON, cut after some hundred characters. */
export function quoteValue(text: string, most = longest): string {
  const cut = text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text
  return makeVisible(jsonText(cut))
}

export function engineText({ name, model, command, base_url, effort }: EngineChoice): string {
  return [
    quoteValue([name, model].filter(Boolean).join(':')),
    ...(command ? [`which is the program ${quoteValue(command)}`] : []),
    ...(base_url ? [`at ${quoteValue(base_url)}`] : []),
    ...(effort ? [`effort ${quoteValue(effort)}`] : []),
  ].join(', ')
}

/** One line for each command, none left out. */
export function commandTexts(commands: readonly SuiteCommand[]): string[] {
  return commands.map(({ kind, command, source }) => {
    return `${kind}: ${quoteValue(command, longestCommand)}${source === undefined ? '' : ` of ${quoteValue(source)}`}`
  })
}

export function commandsHeading(commands: readonly unknown[], confined: boolean): string {
  if (commands.length === 0) return 'The suite and the skill run no commands of their own.'
  const where = confined ? 'in the sandbox' : 'AS YOU AND WITHOUT A SANDBOX'
  return `${formatPlural(commands.length, 'command')} of the suite or the skill would run ${where}:`
}

export function budgetText({ budget, budgetTokens, costPerRun }: Limits, what = 'run'): string {
  const amounts = [
    ...(budget === null ? [] : [formatDollars(budget)]),
    ...(budgetTokens === null ? [] : [`${budgetTokens} tokens`]),
  ]
  const each = costPerRun === null ? '' : `, counting ${formatDollars(costPerRun)} for a ${what} of unknown cost`
  return `Budget: no ${what} starts after ${amounts.join(' or ')}${each}.`
}

export function estimateText({ usd, seconds }: { usd: number | null; seconds: number | null }, from: number): string {
  const money = usd === null ? 'unknown cost' : formatDollars(usd)
  const time = seconds === null ? 'unknown time' : `${formatSeconds(seconds)}`
  const source = from === 0 ? 'usual amounts: there is no earlier run' : `from ${formatPlural(from, 'earlier run')}`
  return `${money}, ${time} (${source})`
}

/** Whether engine:model names the practice model on an engine that asks no other one. */
export function isPracticeName(name: string): boolean {
  return /^(?:anthropic|openai):practice-\d+$/.test(name)
}

/** The practice model costs nothing. */
export function isFree(choices: readonly (EngineChoice | null)[]): boolean {
  return choices.every((one) => one === null || isPracticeName([one.name, one.model].join(':')))
}

interface Reach {
  places: readonly (string | null | undefined)[]
  /** engine[:model], as given. */
  engines: readonly (string | null | undefined)[]
}

/** Throws UserError. Configuration files may have set these values too. */
export async function refuseReach({ places, engines }: Reach, { roots, options }: McpSession): Promise<void> {
  for (const place of places) if (place) await roots.resolve(place)
  const program = engines.find((one) => one && mentionsCommand(one))
  if (!program || options.allowPrograms) return
  throw new UserError(
    `${jsonText(program.slice(0, 200))}: an engine that starts a program of your choice`,
    'use another engine; the person who configures the server can allow it with --allow-programs',
  )
}

/** Throws UserError without a budget. */
export function requireBudget(limits: Limits = noLimits): Limits {
  if (limits.budget !== null || limits.budgetTokens !== null) return limits
  throw new UserError(
    'a plan needs a budget',
    'pass budget_usd, with cost_per_run_usd where the cost of a run is not known, or budget_tokens',
  )
}
