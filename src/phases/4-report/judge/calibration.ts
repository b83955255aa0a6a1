/** The baseline compared with itself: what a calibration stores, and the noise it predicts for a later benchmark. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { Noise } from '../../../../schemas/benchmark_statistics.ts'
import type { Calibration } from '../../../../schemas/calibration.ts'
import { findArms } from '../benchmark/arms.ts'
import { measureCalibrationNoise } from '../stats/scores/noise.ts'
import { scoredCases } from '../stats/scores/scored_runs.ts'
import { usualOptions } from '../stats/statistics_options.ts'

/** The scores of both configurations, by case. */
export function calibrationScores(benchmark: Benchmark): Calibration['cases'] {
  return scoredCases(benchmark.runs, findArms(benchmark)).map(({ evalId, candidate, baseline }) => ({
    eval_id: evalId,
    first: [...baseline],
    again: [...candidate],
  }))
}

/** The noise of exactly these cases; null: the calibration does not have all of them. */
export function noiseOfCases(
  { cases, created_at }: Calibration,
  evalIds: readonly number[],
  alpha = usualOptions.alpha,
): Noise['calibration'] {
  const seen = new Map(cases.map((one) => [one.eval_id, one]))
  const own = [...new Set(evalIds)].flatMap((id) => seen.get(id) ?? [])
  if (own.length === 0 || own.length < new Set(evalIds).size) return null
  const found = measureCalibrationNoise(
    own.map(({ first, again }) => ({ candidate: again, baseline: first })),
    alpha,
  )
  if (found === null) return null
  const runs = Math.min(...own.flatMap(({ first, again }) => [first.length, again.length]))
  return { ...found, runs, made: created_at }
}
