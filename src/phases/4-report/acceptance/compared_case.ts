/** One case of two versions: the scores of both, which runs passed everything, and their time and cost. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { CaseScores } from '../stats/scores/case_scores.ts'
import { type ScoredRun, scoredCases } from '../stats/scores/scored_runs.ts'

interface Sides<T> {
  candidate: readonly T[]
  baseline: readonly T[]
}

/** `baseline` is v0. All lists are for the same runs, in the same order. */
export interface PairedCase extends CaseScores {
  evalId: number
  /** Whether the run passed every expectation. */
  passed: Sides<boolean>
  /** null: not known. */
  seconds: Sides<number | null>
  usd: Sides<number | null>
  tokens: Sides<number | null>
}

/** The cases of a benchmark of two versions. */
export function pairCases(
  { runs }: Pick<Benchmark, 'runs'>,
  arms: { candidate: string; baseline: string },
): PairedCase[] {
  return scoredCases(runs, arms).map(({ runs: made, ...one }) => {
    const of = <T>(value: (run: ScoredRun) => T): Sides<T> => ({
      candidate: made.candidate.map(value),
      baseline: made.baseline.map(value),
    })
    return {
      ...one,
      passed: of(({ allPassed }) => allPassed),
      seconds: of(({ run }) => run.result.time_seconds ?? null),
      usd: of(({ run }) => run.result.cost_usd ?? null),
      tokens: of(({ run }) => run.result.tokens ?? null),
    }
  })
}
