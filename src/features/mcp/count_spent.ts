/** Counts what a plan has cost over all of its starts, whatever an agent does to the results on disk. */
import { existsSync } from 'node:fs'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { McpJob } from '../../../schemas/mcp_plan.ts'
import { readBenchmarkSpending } from '../../flows/limits/limited_bench.ts'
import { addAmounts, type Limits, SharedBudgets, toBudgetAmounts, zeroAmounts } from '../../flows/limits/limits.ts'
import { benchmarkPaths } from '../../store/paths.ts'

export type Spent = McpJob['spent']

/** `assumed`: dollars where the cost of a completed run or a pair is not known. */
export function addSpent(before: Spent, event: FlowEvent, assumed: number | null): Spent {
  switch (event.type) {
    case 'run_finished': {
      const each = event.status === 'completed' || event.status === 'timed_out' ? assumed : null
      return event.cached === true ? before : addCost(before, event.cost_usd, { each, tokens: event.tokens })
    }
    case 'pair_judged':
      return event.cached ? before : addCost(before, event.cost_usd, { each: assumed, tokens: null })
    case 'grade_finished':
      return event.cached === true ? before : addCost(before, event.cost_usd, { each: null, tokens: null })
    default:
      return before
  }
}

function addCost(
  before: Spent,
  usd: number | null,
  { each, tokens }: { each: number | null; tokens: number | null },
): Spent {
  return addAmounts(before, toBudgetAmounts({ usd, tokens }, { costPerRun: each }))
}

/** Budgets in which the costs of a benchmark's deleted runs count: what earlier starts of the plan spent, without what its folder knows. */
export async function openRestBudgets(limits: Limits, { folder, spent }: Pick<McpJob, 'folder' | 'spent'>) {
  const budgets = new SharedBudgets(limits)
  const isThere = existsSync(benchmarkPaths(folder).plan)
  const lines = isThere ? await readBenchmarkSpending(folder) : []
  const known = lines.map((line) => toBudgetAmounts(line, limits)).reduce(addAmounts, zeroAmounts)
  const lost = { usd: Math.max(0, spent.usd - known.usd), tokens: Math.max(0, spent.tokens - known.tokens) }
  budgets.spend(lost)
  return budgets
}
