/** How much of an arm's pass rate the judge decided, and how much of each part passed. */
import type { GradedExpectation } from '../../../../../schemas/grading.ts'
import { relativeWeights, verdictScore } from '../../../../../schemas/pass_rate.ts'
import { sampleMean } from '../numbers/moments.ts'
import { keepCounted, type ScoredRun } from './scored_runs.ts'

/** Shares of the arm's rate: means over cases of the means of their runs. */
export interface JudgedParts {
  /** Decided by the judge. */
  judged: number
  /** Of all: decided by the judge, and passed. */
  judgedMet: number
  /** Of all: decided otherwise, and passed. */
  otherMet: number
  /** Runs with something decided by the judge. */
  judgedRuns: number
  /** Runs with something decided otherwise. */
  otherRuns: number
}

/** `own`: the runs of each case of the arm, none empty. null: no run, or one has no list of verdicts. */
export function measureJudgedParts(
  own: readonly (readonly ScoredRun[])[],
  /** As for the scores: whether the wording rules mark indicators. */
  byRule: boolean,
): JudgedParts | null {
  const found = own.map((runs) => runs.map(({ run }) => measureRun(run.expectations, byRule)))
  const all = found.flat()
  if (all.length === 0 || all.some((one) => one === null)) return null
  const known = found.map((some) => some.flatMap((one) => one ?? []))
  const meanOf = (of: (one: RunParts) => number) => sampleMean(known.map((some) => sampleMean(some.map(of))))
  const countRuns = (has: (one: RunParts) => boolean) => known.flat().filter(has).length
  return {
    judged: meanOf((one) => one.judged),
    judgedMet: meanOf((one) => one.judgedMet),
    otherMet: meanOf((one) => one.otherMet),
    judgedRuns: countRuns((one) => one.judged > 0),
    otherRuns: countRuns((one) => one.judged < 1),
  }
}

type RunParts = Pick<JudgedParts, 'judged' | 'judgedMet' | 'otherMet'>

function measureRun(expectations: readonly GradedExpectation[], byRule: boolean): RunParts | null {
  const counted = keepCounted(expectations, byRule)
  if (counted.length === 0) return null
  const weights = relativeWeights(counted)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const share = (of: (one: GradedExpectation) => number) =>
    sum(counted.map((one, index) => (weights[index] ?? 0) * of(one))) / sum(weights)
  return {
    judged: share((one) => (isJudged(one) ? 1 : 0)),
    judgedMet: share((one) => (isJudged(one) ? verdictScore(one) : 0)),
    otherMet: share((one) => (isJudged(one) ? 0 : verdictScore(one))),
  }
}

/** A fractional score is no verdict that could be wrong or right, so it is not corrected. */
function isJudged({ decided_by, score }: GradedExpectation): boolean {
  return decided_by === 'judge' && (score === undefined || score === 0 || score === 1)
}
