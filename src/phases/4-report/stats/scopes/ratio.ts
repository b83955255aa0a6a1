/** The ratio between the arms' mean time, tokens or cost on these cases, with an interval on the log scale. */
import { tQuantile } from '../distributions/quantiles.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'

export interface Ratio {
  /** Candidate ÷ baseline, each the mean over the cases of the case means. */
  ratio: number
  /** null: too few runs, or nothing varies. */
  low: number | null
  high: number | null
  cases: number
}

/** By the delta method: the variance of a mean's logarithm is its variance ÷ its square. null: a mean is not above 0. */
export function computeRatio(cases: readonly CaseScores[], alpha: number): Ratio | null {
  const known = keepComparable(cases)
  if (known.length === 0) return null
  const [a, b] = [
    summarizeRatioArm(known.map((one) => one.candidate)),
    summarizeRatioArm(known.map((one) => one.baseline)),
  ]
  if (!(a.mean > 0 && b.mean > 0)) return null
  const ratio = a.mean / b.mean
  const error = Math.sqrt(a.variance / a.mean ** 2 + b.variance / b.mean ** 2)
  if (error === 0 || !a.repeated || !b.repeated) return { ratio, low: null, high: null, cases: known.length }
  const factor = Math.exp(tQuantile(1 - alpha / 2, a.df + b.df) * error)
  return { ratio, low: ratio / factor, high: ratio * factor, cases: known.length }
}

function summarizeRatioArm(cells: readonly (readonly number[])[]) {
  const variance = cells.reduce((sum, cell) => sum + sampleVariance(cell) / cell.length, 0) / cells.length ** 2
  return {
    mean: sampleMean(cells.map(sampleMean)),
    variance,
    df: cells.reduce((sum, cell) => sum + cell.length - 1, 0),
    /** A cell of one run has an unknown variance. */
    repeated: cells.every((cell) => cell.length > 1),
  }
}
