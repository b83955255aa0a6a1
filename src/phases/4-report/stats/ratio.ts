/** The ratio of the arms' mean time, tokens or cost on these cases, with an interval on the log scale. */
import { type CaseScores, comparable } from './case_scores.ts'
import { meanOf, varianceOf } from './moments.ts'
import { tQuantile } from './quantiles.ts'

export interface Ratio {
  /** Candidate ÷ baseline, each the mean over the cases of the case means. */
  ratio: number
  /** Null: too few runs, or nothing varies. */
  low: number | null
  high: number | null
  cases: number
}

/** By the delta method: the variance of a mean's logarithm is its variance ÷ its square. Null where a mean is not above 0. */
export function ratioOf(cases: readonly CaseScores[], alpha: number): Ratio | null {
  const known = comparable(cases)
  if (known.length === 0) return null
  const [a, b] = [armOf(known.map((one) => one.candidate)), armOf(known.map((one) => one.baseline))]
  if (!(a.mean > 0 && b.mean > 0)) return null
  const ratio = a.mean / b.mean
  const error = Math.sqrt(a.variance / a.mean ** 2 + b.variance / b.mean ** 2)
  if (error === 0 || !a.repeated || !b.repeated) return { ratio, low: null, high: null, cases: known.length }
  const factor = Math.exp(tQuantile(1 - alpha / 2, a.df + b.df) * error)
  return { ratio, low: ratio / factor, high: ratio * factor, cases: known.length }
}

function armOf(cells: readonly (readonly number[])[]) {
  const variance = cells.reduce((sum, cell) => sum + varianceOf(cell) / cell.length, 0) / cells.length ** 2
  return {
    mean: meanOf(cells.map(meanOf)),
    variance,
    df: cells.reduce((sum, cell) => sum + cell.length - 1, 0),
    /** A cell of one run has an unknown variance. */
    repeated: cells.every((cell) => cell.length > 1),
  }
}
