/** The interval of the difference on these cases: the cases are fixed, only the runs vary. */
import { wilson } from './binomial.ts'
import { type CaseScores, comparable } from './case_scores.ts'
import { isFineWithin } from './grain.ts'
import { clip, type Interval } from './interval.ts'
import { meanOf, varianceOf } from './moments.ts'
import { tQuantile } from './quantiles.ts'

export interface WithinInterval extends Interval {
  mean: number
  /** Null where fewer than 4 cells vary. The bound comes from the rates, not from it. */
  standardError: number | null
  method: 'within_case_t' | 'wilson_newcombe'
  /** How many of the case × arm cells have runs that differ. */
  varying: number
}

/** With fewer cells that vary, their spread says too little of the spread of the others (simulated: test/slow). */
const leastVarying = 4

/**
 * t on the within-case variance where at least 4 cells vary and the runs are enough; else a bound that needs no spread: Newcombe's combination of
 * the arms' Wilson intervals, at least as wide as needed and never without width. Null without a comparable case.
 */
export function withinInterval(cases: readonly CaseScores[], alpha: number): WithinInterval | null {
  const known = comparable(cases)
  if (known.length === 0) return null
  const [a, b] = [armOf(known.map((one) => one.candidate)), armOf(known.map((one) => one.baseline))]
  const varying = a.varying + b.varying
  const mean = a.mean - b.mean
  const df = a.df + b.df
  const standardError =
    varying >= leastVarying && a.variance !== null && b.variance !== null ? Math.sqrt(a.variance + b.variance) : null
  if (standardError !== null && isFineWithin(known)) {
    const half = tQuantile(1 - alpha / 2, df) * standardError
    const ends = clip({ low: mean - half, high: mean + half }, [-1, 1])
    return { mean, standardError, method: 'within_case_t', varying, ...ends }
  }
  return { mean, standardError, method: 'wilson_newcombe', varying, ...newcombe(a, b, alpha) }
}

interface Arm {
  /** Of the case means. */
  mean: number
  /** Of that mean; null: no cell has two runs. */
  variance: number | null
  df: number
  varying: number
  /** The number of runs that would give the same weight to each case. */
  effectiveRuns: number
}

/** A cell of one run borrows the mean variance of the other cells of its arm. */
function armOf(cells: readonly (readonly number[])[]): Arm {
  const variances = cells.filter((cell) => cell.length > 1).map(varianceOf)
  const usual = variances.length === 0 ? null : meanOf(variances)
  let [variance, inverse] = [0, 0]
  for (const cell of cells) {
    variance += (cell.length > 1 ? varianceOf(cell) : (usual ?? 0)) / cell.length
    inverse += 1 / cell.length
  }
  return {
    mean: meanOf(cells.map(meanOf)),
    variance: usual === null ? null : variance / cells.length ** 2,
    df: cells.reduce((sum, cell) => sum + cell.length - 1, 0),
    varying: variances.filter((one) => one > 0).length,
    effectiveRuns: cells.length ** 2 / inverse,
  }
}

/** Newcombe 1998, method 10. A share has at most the variance of a pass or fail, and strata only lessen it. */
function newcombe(a: Arm, b: Arm, alpha: number): Interval {
  const [own, other] = [a, b].map(({ mean, effectiveRuns: n }) => ({ mean, ...wilson(mean * n, n, alpha) }))
  if (own === undefined || other === undefined) return { low: -1, high: 1 }
  const difference = own.mean - other.mean
  return clip(
    {
      low: difference - Math.hypot(own.mean - own.low, other.high - other.mean),
      high: difference + Math.hypot(own.high - own.mean, other.mean - other.low),
    },
    [-1, 1],
  )
}
