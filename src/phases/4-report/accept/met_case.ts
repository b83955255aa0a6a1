/** One case of two versions that met: the scores of both, which runs passed whole, and what they took. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { CaseScores } from '../stats/case_scores.ts'
import { type ScoredRun, scoredCases } from '../stats/scored.ts'

interface Sides<T> {
  candidate: readonly T[]
  baseline: readonly T[]
}

/** `baseline` is the incumbent. All lists are of the same runs, in the same order. */
export interface MetCase extends CaseScores {
  evalId: number
  /** Whether the run met every expectation. */
  passed: Sides<boolean>
  /** null: not known. */
  seconds: Sides<number | null>
  usd: Sides<number | null>
}

/** The cases of a benchmark of two versions. */
export function metCases({ runs }: Pick<Benchmark, 'runs'>, arms: { candidate: string; baseline: string }): MetCase[] {
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

/** The same as it was after so many blocks: runs by their number, from 1. */
export function firstBlocks(one: MetCase, blocks: number): MetCase {
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
