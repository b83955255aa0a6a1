/** Known noise: the baseline against itself, and what part of the spread comes from grading. */
import type { Noise } from '../../../../schemas/benchmark_statistics.ts'
import type { CaseScores } from './case_scores.ts'
import { meanOf, varianceOf } from './moments.ts'
import { round } from './round.ts'
import { withinInterval } from './within.ts'

/** From two arms that are the same (A/A): the difference found, and the half width of its interval. Null without a case. */
export function calibrationOf(cases: readonly CaseScores[], alpha: number): Noise['calibration'] {
  const interval = withinInterval(cases, alpha)
  if (interval === null) return null
  const n_runs = cases.reduce((sum, one) => sum + one.candidate.length + one.baseline.length, 0)
  return { difference: round(interval.mean, 6), floor: round((interval.high - interval.low) / 2, 6), n_runs }
}

/**
 * By cell (case × arm), by run, the scores of the same transcript graded several times: the variance between gradings, and
 * what is left between runs (never below 0; null where no cell has two runs). Null where no run was graded twice.
 */
export function splitNoise(cells: readonly (readonly (readonly number[])[])[]): Noise['grading'] {
  const again = cells.flat().filter((scores) => scores.length > 1)
  if (again.length === 0) return null
  const grading = meanOf(again.map(varianceOf))
  return {
    execution_variance: executionVariance(cells, grading),
    grading_variance: round(grading, 6),
    n_runs: cells.flat().length,
    gradings: cells.flat().reduce((sum, scores) => sum + scores.length, 0),
  }
}

function executionVariance(cells: readonly (readonly (readonly number[])[])[], grading: number): number | null {
  const repeated = cells.filter((runs) => runs.length > 1)
  if (repeated.length === 0) return null
  const between = meanOf(repeated.map((runs) => varianceOf(runs.map(meanOf))))
  const share = meanOf(repeated.flat().map((scores) => 1 / scores.length))
  return round(Math.max(0, between - grading * share), 6)
}
