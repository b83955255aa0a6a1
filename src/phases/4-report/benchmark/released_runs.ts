/** With --until: which planned runs are released, and what the interim analyses found. */
import type { Until } from '../../../../schemas/benchmark_statistics.ts'
import { untilDecided } from '../stats/power/stopping_rule.ts'
import { scoredCases } from '../stats/scores/scored_runs.ts'
import { type Sequential, usualOptions } from '../stats/statistics_options.ts'
import type { AggregateInput, PlannedRun } from './aggregate_input.ts'
import type { BenchmarkArms } from './arms.ts'
import { classifyRuns, keepCountingRuns, type RunOutcome } from './classify_runs.ts'

export interface ReleasedRuns {
  until: Until
  sequential: Sequential
  /** The planned runs up to the analysis that stopped the benchmark, or up to the next one. Reruns are kept: they belong to no block. */
  planned: readonly PlannedRun[]
}

/** null: the number of runs is fixed. */
export function findReleasedRuns(input: AggregateInput, arms: BenchmarkArms): ReleasedRuns | null {
  const { maxRuns = null } = input
  if (maxRuns === null) return null
  const outcomes = classifyRuns(input.planned, input, buildBlockKey)
  const sequential = {
    maxRuns,
    cases: new Set(keepCountingRuns(input).map((run) => run.eval_id)).size,
    finished: finishedBlocks(outcomes, maxRuns),
  }
  const runs = outcomes.flatMap((outcome) => (outcome.status === 'used' ? outcome.run : []))
  const until = untilDecided(scoredCases(runs, arms), sequential, { ...usualOptions, ...input.statistics })
  const last = until.next ?? until.blocks
  return {
    until,
    sequential,
    planned: input.planned.filter((run) => run.run_number <= last || run.run_number > maxRuns),
  }
}

/** An analysis must see earlier blocks exactly as they were then. */
const buildBlockKey = ({ eval_id, run_number }: PlannedRun) => `${eval_id} ${run_number}`

/** The blocks before the first run that is not finished: missing, cancelled, or not graded yet. */
function finishedBlocks(outcomes: readonly RunOutcome[], maxRuns: number): number {
  const open = outcomes.flatMap(({ status, run }) =>
    status === 'excluded' && isOpen(run.reason) ? run.run_number : [],
  )
  return Math.min(maxRuns, ...open.map((number) => number - 1))
}

function isOpen(reason: string): boolean {
  return reason === 'missing' || reason === 'cancelled'
}
