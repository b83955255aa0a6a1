/** Sums the costs of an Atomic Agent over this day and this month, from its own log/<month>/<day>.jsonl and the lines of its evals. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { notInvoked } from '../../../schemas/golden.ts'
import { readKnownLines } from './golden_runs.ts'

interface Sum {
  usd: number
  /** Lines without a cost. */
  unknown: number
}

export interface AgentCosts {
  day: Sum
  month: Sum
}

const logLine = z.looseObject({
  cost_usd: z.number().nonnegative().nullable().optional(),
  trigger: z.string().nullable().optional().catch(null),
})
const evalLine = z.looseObject({
  // the reference's own lines are skipped: log/ already has the agent's share
  trigger: z.literal('eval'),
  agent_model: z.string(),
  judge_model: z.string(),
  agent_cost_usd: z.number().nonnegative().nullable(),
  judge_cost_usd: z.number().nonnegative().nullable(),
})

/** `agent`: its folder. Days are those of the user's clock. Skips what can't be read. */
export function readAgentCosts(agent: string, now: Date): AgentCosts {
  const two = (value: number) => String(value).padStart(2, '0')
  const month = `${now.getFullYear()}-${two(now.getMonth() + 1)}`
  const today = `${month}-${two(now.getDate())}.jsonl`
  const costs: AgentCosts = { day: { usd: 0, unknown: 0 }, month: { usd: 0, unknown: 0 } }
  const places = [
    { folder: path.join(agent, 'log', month), costOf: readLogParts },
    { folder: path.join(agent, 'evals/runs'), costOf: readEvalParts },
  ]
  for (const { folder, costOf } of places) {
    for (const name of listFolderNames(folder)) {
      if (!name.startsWith(month) || !name.endsWith('.jsonl')) continue
      for (const parts of costOf(path.join(folder, name))) {
        for (const sum of name === today ? [costs.day, costs.month] : [costs.month]) add(sum, parts)
      }
    }
  }
  return costs
}

/** The cost of an Atomic Agent in a calendar month, by what it was for. */
export interface AgentMonth {
  /** 2026-05 */
  month: string
  /** Lines of log/ but those of helpers and evals: cron and skill. */
  operational: Sum
  /** Lines of log/ with the trigger helper. */
  helpers: Sum
  /** Lines of log/ with the trigger eval, and those of Whetstone in evals/runs/: agent and judge. */
  evals: Sum
}

/** Every month of an agent's folder, oldest first. Skips what can't be read. */
export function readAgentMonths(agent: string): AgentMonth[] {
  const months = new Map<string, AgentMonth>()
  const count = (month: string, kind: keyof Omit<AgentMonth, 'month'>, parts: Parts) => {
    const none = () => ({ usd: 0, unknown: 0 })
    const found = months.get(month) ?? { month, operational: none(), helpers: none(), evals: none() }
    months.set(month, found)
    add(found[kind], parts)
  }
  for (const month of listFolderNames(path.join(agent, 'log'))) {
    if (!/^\d{4}-\d\d$/.test(month)) continue
    const folder = path.join(agent, 'log', month)
    for (const name of listFolderNames(folder)) {
      if (!name.startsWith(month) || !name.endsWith('.jsonl')) continue
      for (const { trigger, cost_usd = null } of readKnownLines(path.join(folder, name), logLine))
        count(month, trigger === 'eval' ? 'evals' : trigger === 'helper' ? 'helpers' : 'operational', [cost_usd])
    }
  }
  for (const name of listFolderNames(path.join(agent, 'evals/runs'))) {
    const [month] = /^\d{4}-\d\d(?=-\d\d\.jsonl$)/.exec(name) ?? []
    if (month === undefined) continue
    for (const parts of readEvalParts(path.join(agent, 'evals/runs', name))) count(month, 'evals', parts)
  }
  return [...months.values()].sort((a, b) => a.month.localeCompare(b.month))
}

/** The costs of a line's parts; null: not known. */
type Parts = readonly (number | null)[]

function add(sum: Sum, parts: Parts): void {
  for (const usd of parts) sum.usd += usd ?? 0
  if (parts.includes(null)) sum.unknown += 1
}

function readLogParts(file: string): Parts[] {
  return readKnownLines(file, logLine).map(({ cost_usd = null }) => [cost_usd])
}

function readEvalParts(file: string): Parts[] {
  return readKnownLines(file, evalLine).map(({ agent_model, agent_cost_usd, judge_model, judge_cost_usd }) => [
    ...(agent_model === notInvoked ? [] : [agent_cost_usd]),
    ...(judge_model === notInvoked ? [] : [judge_cost_usd]),
  ])
}

function listFolderNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
