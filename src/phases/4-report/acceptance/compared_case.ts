/** One case of two versions: the scores of both, which runs passed everything, and their time and cost. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { CaseScores } from '../stats/scores/case_scores.ts'
import { type ScoredRun, scoredCases } from '../stats/scores/scored_runs.ts'

interface Sides<T> {
  candidate: readonly T[]
  baseline: readonly T[]
}

/** `baseline` is the incumbent. All lists are for the same runs, in the same order. */
export interface PairedCase extends CaseScores {
  evalId: number
  /** Whether the run passed every expectation. */
  passed: Sides<boolean>
  /** null: not known. */
  seconds: Sides<number | null>
  usd: Sides<number | null>
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
    }
  })
}

/** The case as it was after this many blocks; runs are numbered from 1. */
export function takeFirstBlocks(one: PairedCase, blocks: number): PairedCase {
  const numberOf = (side: keyof Sides<number>, at: number) => one.numbers?.[side][at] ?? at + 1
  const cut = <T>(values: Sides<T>): Sides<T> => ({
    candidate: values.candidate.filter((_, at) => numberOf('candidate', at) <= blocks),
    baseline: values.baseline.filter((_, at) => numberOf('baseline', at) <= blocks),
  })
  const { evalId, numbers, passed, seconds, usd } = one
  return {
    evalId,
    ...cut(one),
    ...(numbers && { numbers: cut(numbers) }),
    passed: cut(passed),
    seconds: cut(seconds),
    usd: cut(usd),
  }
}
