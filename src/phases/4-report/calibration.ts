/** The baseline against itself: what a benchmark of two equal arms keeps, and what it says of a later benchmark. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { Noise } from '../../../schemas/benchmark_statistics.ts'
import type { Calibration } from '../../../schemas/calibration.ts'
import { armsOf } from './arms.ts'
import { calibrationOf } from './stats/noise.ts'
import { usualOptions } from './stats/options.ts'
import { scoredCases } from './stats/scored.ts'

/** The scores of both arms, by case. */
export function calibrationScores(benchmark: Benchmark): Calibration['cases'] {
  return scoredCases(benchmark.runs, armsOf(benchmark)).map(({ evalId, candidate, baseline }) => ({
    eval_id: evalId,
    first: [...baseline],
    again: [...candidate],
  }))
}

/** The noise of exactly these cases; null where the calibration has not seen all of them. */
export function noiseOfCases(
  { cases, created_at }: Calibration,
  evalIds: readonly number[],
  alpha = usualOptions.alpha,
): Noise['calibration'] {
  const seen = new Map(cases.map((one) => [one.eval_id, one]))
  const own = [...new Set(evalIds)].flatMap((id) => seen.get(id) ?? [])
  if (own.length === 0 || own.length < new Set(evalIds).size) return null
  const found = calibrationOf(
    own.map(({ first, again }) => ({ candidate: again, baseline: first })),
    alpha,
  )
  if (found === null) return null
  const runs = Math.min(...own.flatMap(({ first, again }) => [first.length, again.length]))
  return { ...found, runs, made: created_at }
}
