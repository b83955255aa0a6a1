/** A benchmark that is stopped by looks at it: which of its planned runs were released, and what the looks saw. */
import type { Until } from '../../../schemas/benchmark_statistics.ts'
import type { Arms } from './arms.ts'
import { classifyAll, type Outcome } from './classify.ts'
import type { AggregateInput, PlannedRun } from './input.ts'
import { type Sequential, usualOptions } from './stats/options.ts'
import { scoredCases } from './stats/scored.ts'
import { untilDecided } from './stats/until.ts'

export interface Released {
  until: Until
  sequential: Sequential
  /** The planned runs up to the look that ended it, or up to the next one. Reruns, which belong to no block, are kept. */
  planned: readonly PlannedRun[]
}

/** null: the number of runs is fixed. */
export function releasedOf(input: AggregateInput, arms: Arms): Released | null {
  const { maxRuns = null } = input
  if (maxRuns === null) return null
  const outcomes = classifyAll(input.planned, input, blockOf)
  const sequential = {
    maxRuns,
    cases: new Set(input.planned.map((run) => run.eval_id)).size,
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

/** A look must see of earlier blocks what it saw then. */
const blockOf = ({ eval_id, run_number }: PlannedRun) => `${eval_id} ${run_number}`

/** The blocks before the first run that has not ended: not made yet, cancelled, or not graded yet. */
function finishedBlocks(outcomes: readonly Outcome[], maxRuns: number): number {
  const open = outcomes.flatMap(({ status, run }) =>
    status === 'excluded' && isOpen(run.reason) ? run.run_number : [],
  )
  return Math.min(maxRuns, ...open.map((number) => number - 1))
}

function isOpen(reason: string): boolean {
  return reason === 'missing' || reason === 'cancelled'
}
