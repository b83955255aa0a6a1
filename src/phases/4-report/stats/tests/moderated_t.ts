/**
 * The moderated t: interval and p-value of the difference on fixed cases, for every design of fixed size, from one run a cell on. A cell's
 * variance is a mix of what its runs show and what a pass rate of that size would have, as limma moderates the variances of genes
 * (Smyth 2004). Calibrated by simulation: test/slow/moderated.nightly.test.ts.
 */
import { tCdf, tQuantile } from '../distributions/quantiles.ts'
import { clipInterval, type Interval } from '../numbers/describe.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'

export interface ModeratedT extends Interval {
  /** Candidate − baseline, the mean over the cases. */
  mean: number
  standardError: number
  /** By Satterthwaite. */
  df: number
  /** Two-sided; ≤ alpha exactly where the interval excludes 0. */
  pValue: number
  /** Half a step of scores that pass or fail as a whole (Yates), which interval and test leave out; 0 for finer scores. */
  correction: number
}

/** How strongly the prior variance counts, in degrees of freedom of a cell. */
const priorDf = 2
/** The assumed correlation of a run's expectations, and its weight against the data's. */
const priorCorrelation = 0.8
const priorWeight = 12
const near = 1e-9

export interface ModeratedOptions {
  alpha: number
  /** Takes this correlation of a run's expectations and learns nothing from the data: only to check the formula against reference values. */
  fixedCorrelation?: number
}

/** The runs of one case in one configuration. */
interface Cell {
  scores: readonly number[]
  /** Expectations behind a score. */
  items: number
}

/** null: no case has runs in both configurations. Scores are from 0 to 1. */
export function moderatedT(cases: readonly CaseScores[], options: ModeratedOptions): ModeratedT | null {
  const known = keepComparable(cases)
  if (known.length === 0) return null
  const whole = options.fixedCorrelation === undefined && isAllOrNothing(known)
  const cells = known.flatMap(({ candidate, baseline, expectations = 1 }) =>
    [candidate, baseline].map((scores): Cell => ({ scores, items: whole ? 1 : Math.max(1, expectations) })),
  )
  const designEffect = estimateDesignEffect(cells, options.fixedCorrelation)
  let [variance, weights] = [0, 0]
  for (const cell of cells) {
    const part = moderateVariance(cell, designEffect(cell)) / cell.scores.length / known.length ** 2
    variance += part
    weights += part ** 2 / (priorDf + cell.scores.length - 1)
  }
  const mean = sampleMean(known.map(({ candidate, baseline }) => sampleMean(candidate) - sampleMean(baseline)))
  const [standardError, df] = [Math.sqrt(variance), variance ** 2 / weights]
  // passes and fails move in steps: without this correction (Yates) small suites of coin flips reject too often
  const correction = whole ? 1 / (2 * known.length * Math.max(...cells.map(({ scores }) => scores.length))) : 0
  const half = tQuantile(1 - options.alpha / 2, df) * standardError + correction
  const distance = Math.abs(mean) - correction
  const pValue = distance <= 0 ? 1 : 2 * tCdf(-distance / standardError, df)
  return {
    mean,
    standardError,
    df,
    pValue,
    correction,
    ...clipInterval({ low: mean - half, high: mean + half }, [-1, 1]),
  }
}

/** One-sided p-value of the hypothesis that the true difference is at most `value`. */
export function testGreater({ mean, standardError, df, correction }: ModeratedT, value: number): number {
  return tCdf((correction - (mean - value)) / standardError, df)
}

/** One-sided p-value of the hypothesis that the true difference is at least `value`. */
export function testLess({ mean, standardError, df, correction }: ModeratedT, value: number): number {
  return tCdf((correction + (mean - value)) / standardError, df)
}

/**
 * Whether every run passes everything or nothing: then a run's expectations say no more than one. Cells whose runs all agree can't show it
 * unless they have one run.
 */
function isAllOrNothing(cases: readonly CaseScores[]): boolean {
  const cells = cases.flatMap(({ candidate, baseline }) => [candidate, baseline])
  if (!cells.flat().every((score) => score < near || score > 1 - near)) return false
  const isSingle = cases.every(({ expectations = 1 }) => expectations <= 1)
  return isSingle || cells.every(({ length }) => length === 1) || cells.some((scores) => sampleVariance(scores) > near)
}

/**
 * By how much the correlation of a run's expectations raises the variance of its score, from 1 to their number. The assumed effect is
 * mixed with the ratio of the observed variance within cells to that of independent expectations. A cell of one run can't show it: its
 * expectations count as one.
 */
function estimateDesignEffect(cells: readonly Cell[], fixed: number | undefined): (cell: Cell) => number {
  const assumed = ({ items }: Cell) => 1 + (items - 1) * (fixed ?? priorCorrelation)
  if (fixed !== undefined) return assumed
  let [weight, observed, independent] = [0, 0, 0]
  for (const cell of cells) {
    const df = cell.scores.length - 1
    const rate = smoothRate(cell, assumed(cell))
    weight += 4 * rate * (1 - rate) * df
    observed += df * sampleVariance(cell.scores)
    independent += (df * rate * (1 - rate)) / cell.items
  }
  return (cell) => {
    if (cell.scores.length === 1) return cell.items
    const effect = (priorWeight * assumed(cell) + (weight * observed) / independent) / (priorWeight + weight)
    return Math.min(cell.items, Math.max(1, effect))
  }
}

/** The variance of a run's score: the cell's own with n − 1 degrees of freedom, and that of its smoothed rate with the prior's. */
function moderateVariance(cell: Cell, designEffect: number): number {
  const rate = smoothRate(cell, designEffect)
  const prior = (rate * (1 - rate) * designEffect) / cell.items
  const df = cell.scores.length - 1
  return (priorDf * prior + df * sampleVariance(cell.scores)) / (priorDf + df)
}

/** The rate with one pass and one fail added, never 0 or 1. */
function smoothRate({ scores, items }: Cell, designEffect: number): number {
  const effective = (scores.length * items) / designEffect
  return (sampleMean(scores) * effective + 1) / (effective + 2)
}
