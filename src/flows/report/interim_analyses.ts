/** The interim analyses of a benchmark with adaptive stopping: what each showed, and which runs it released. */
import type { Until } from '../../../schemas/benchmark_statistics.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { findReleasedRuns, type ReleasedRuns } from '../../phases/4-report/benchmark/released_runs.ts'
import type { CountedRun } from '../../store/store.ts'
import { toAggregateInput } from './summarize.ts'

/** The plan's runs up to the analysis that ended it, or up to the next one. */
export function selectReleasedRuns(plan: Plan, results: ReadonlyMap<string, CountedRun>): Plan['runs'] {
  const ids = new Set(computeReleased(plan, results).planned.map(({ run_id }) => run_id))
  return plan.runs.filter(({ run_id }) => ids.has(run_id))
}

export function countBlocksUntilCheck(plan: Plan): number {
  return computeUntilState(plan, new Map()).next ?? plan.options.runs
}

export function computeUntilState(plan: Plan, results: ReadonlyMap<string, CountedRun>): Until {
  return computeReleased(plan, results).until
}

function computeReleased(plan: Plan, results: ReadonlyMap<string, CountedRun>): ReleasedRuns {
  const input = toAggregateInput(plan, results)
  const found = findReleasedRuns(input, { candidate: input.candidate, baseline: input.baseline })
  if (found === null) throw new Error(`${plan.plan_id}: not a plan with adaptive stopping`)
  return found
}
