/** Sums what an Atomic Agent cost, from its own log/<month>/<day>.jsonl and the lines of its evals. Writes nothing. */
import path from 'node:path'
import * as z from 'zod'
import { type CostCap, notInvoked } from '../../../schemas/golden.ts'
import { UserError } from '../../base/errors/error.ts'
import { listEntries, pathExists } from '../../base/fs/files.ts'
import { missingPathError } from '../../base/fs/nearest_path.ts'
import { formatLocalDate, readKnownLines } from './run_files.ts'

export interface AgentCostReport {
  /** Name of its folder. */
  agent: string
  /** Oldest first. */
  months: AgentMonth[]
  /** What is below log/ and has a cost that is not in the months, or may have; relative to the agent's folder. */
  unread: string[]
}

/** `folders`: agents' folders. Throws UserError for one that does not exist or has no cost at all. */
export async function readCosts(folders: readonly string[]): Promise<AgentCostReport[]> {
  const reports: AgentCostReport[] = []
  for (const folder of folders) {
    const place = path.resolve(folder)
    if (!(await pathExists(place))) throw missingPathError(folder, 'folder', "pass an agent's folder")
    const unread = new Set<string>()
    const months = readAgentMonths(place, (name) => unread.add(name))
    if (months.length === 0) {
      const named = unread.size === 0 ? '' : `; not understood: ${[...unread].join(', ')}`
      throw new UserError(
        `${folder}: no line with a cost in log/<month>/<day>.jsonl or evals/runs/<date>.jsonl${named}`,
        'pass the folder of an Atomic Agent; for benchmarks: whetstone diff <workspace>',
      )
    }
    reports.push({ agent: path.basename(place), months, unread: [...unread] })
  }
  return reports
}

interface Sum {
  usd: number
  /** Lines without a cost. */
  unknown: number
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
export function readAgentCosts(agent: string, now: Date): Record<CostCap['period'], Sum> {
  const today = formatLocalDate(now)
  const costs = { day: { usd: 0, unknown: 0 }, month: { usd: 0, unknown: 0 } }
  for (const { date, parts } of listCosts(agent, () => {}, today.slice(0, 7)))
    for (const sum of date === today ? [costs.day, costs.month] : [costs.month]) add(sum, parts)
  return costs
}

/** The cost of an Atomic Agent in a calendar month, by what it was for. */
interface AgentMonth {
  /** 2026-05 */
  month: string
  /** Lines of log/ but those of helpers and evals: cron and skill. */
  operational: Sum
  /** Lines of log/ with the trigger helper. */
  helpers: Sum
  /** Lines of log/ with the trigger eval, and those of Whetstone in evals/runs/: agent and judge. */
  evals: Sum
}

type TellUnread = (name: string) => void

/** Every month of an agent's folder, oldest first. Skips what can't be read. */
function readAgentMonths(agent: string, unread: TellUnread): AgentMonth[] {
  const months = new Map<string, AgentMonth>()
  const none = () => ({ usd: 0, unknown: 0 })
  for (const { date, kind, parts } of listCosts(agent, unread)) {
    const month = date.slice(0, 7)
    const found = months.get(month) ?? { month, operational: none(), helpers: none(), evals: none() }
    months.set(month, found)
    add(found[kind], parts)
  }
  return [...months.values()].sort((a, b) => a.month.localeCompare(b.month))
}

interface CostLine {
  /** 2026-05-01 */
  date: string
  kind: keyof Omit<AgentMonth, 'month'>
  /** Of the line's parts; null: not known. */
  parts: readonly (number | null)[]
}

/** Each line of a month (2026-05), or of all: log/2026-05/01.jsonl or log/2026-05/2026-05-01.jsonl. */
function* listCosts(agent: string, unread: TellUnread, only?: string): Generator<CostLine> {
  for (const name of listFilesBelow(path.join(agent, 'log'))) {
    const [, month = '', day = ''] = /^(\d{4}-\d\d)[/\\](?:\1-)?(\d\d)\.jsonl$/.exec(name) ?? []
    const told = () => unread(path.join('log', name))
    if (month === '') told()
    if (month === '' || month !== (only ?? month)) continue
    for (const { trigger, cost_usd = null } of readKnownLines(path.join(agent, 'log', name), logLine, told)) {
      const kind = trigger === 'eval' ? 'evals' : trigger === 'helper' ? 'helpers' : 'operational'
      yield { date: `${month}-${day}`, kind, parts: [cost_usd] }
    }
  }
  const runs = path.join(agent, 'evals/runs')
  for (const { name } of listEntries(runs)) {
    if (!/^\d{4}-\d\d-\d\d\.jsonl$/.test(name) || !name.startsWith(only ?? '')) continue
    for (const line of readKnownLines(path.join(runs, name), evalLine)) {
      const agentPart = line.agent_model === notInvoked ? [] : [line.agent_cost_usd]
      const judgePart = line.judge_model === notInvoked ? [] : [line.judge_cost_usd]
      yield { date: path.parse(name).name, kind: 'evals', parts: [...agentPart, ...judgePart] }
    }
  }
}

function add(sum: Sum, parts: CostLine['parts']): void {
  for (const usd of parts) sum.usd += usd ?? 0
  if (parts.includes(null)) sum.unknown += 1
}

/** Relative paths of all files but those with a dot in front. */
function listFilesBelow(folder: string): string[] {
  return listEntries(folder).flatMap((entry) => {
    if (entry.name.startsWith('.')) return []
    const below = entry.isDirectory() ? listFilesBelow(path.join(folder, entry.name)) : ['']
    return below.map((name) => path.join(entry.name, name))
  })
}
