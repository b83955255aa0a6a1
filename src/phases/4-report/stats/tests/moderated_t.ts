/**
 * The moderated t: interval and p-value of the difference on fixed cases, for every design of fixed size, from one run a cell on. A cell's
 * variance is a mix of what its runs show and a prior that all cells share, as limma moderates the variances of genes (Smyth 2004). With
 * one run per case only the differences of the cases show how much runs vary. Calibrated by simulation:
 * test/slow/moderated.nightly.test.ts.
 */
import { tCdf, tQuantile } from '../distributions/quantiles.ts'
import { clipInterval, type Interval } from '../numbers/describe.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'
import { differenceOfMeans, isSpreadShown, pairedT } from './paired_t.ts'

export interface ModeratedT extends Interval {
  /** Candidate − baseline, the mean over the cases. */
  mean: number
  standardError: number
  /** By Satterthwaite; of one run per case: cases − 1. */
  df: number
  /** Two-sided; ≤ alpha exactly where the interval excludes 0. */
  pValue: number
  /** The part of a step that interval and test leave out (Yates); 0 for scores finer than pass or fail. */
  correction: number
}

/** How strongly the prior variance counts in a cell, in degrees of freedom. */
const priorDf = 2
const near = 1e-9

/** The runs of one case in one configuration. */
interface Cell {
  scores: readonly number[]
  /** The variance of passes and fails at the cell's rate, with one pass and one fail added. */
  prior: number
}

/** null: no case has runs in both configurations. Scores are from 0 to 1. */
export function moderatedT(cases: readonly CaseScores[], { alpha }: { alpha: number }): ModeratedT | null {
  const known = keepComparable(cases)
  if (known.length === 0) return null
  const mean = sampleMean(known.map(differenceOfMeans))
  const spread = estimateSpread(known, alpha)
  const { standardError, df, correction } = spread
  const half = tQuantile(1 - alpha / 2, df) * standardError + correction
  const distance = Math.abs(mean) - correction
  const pValue = distance <= 0 ? 1 : 2 * tCdf(-distance / standardError, df)
  return { mean, ...spread, pValue, ...clipInterval({ low: mean - half, high: mean + half }, [-1, 1]) }
}

type SpreadOfMean = Pick<ModeratedT, 'standardError' | 'df' | 'correction'>

function estimateSpread(cases: readonly CaseScores[], alpha: number): SpreadOfMean {
  const cells = cases.flatMap(({ candidate, baseline }) => [candidate, baseline].map(toCell))
  const within = cells.reduce((sum, { scores }) => sum + scores.length - 1, 0)
  const found = spreadWithinCases(cases, cells, within)
  // the cases show more than their runs: a bound, because cases that differ by different amounts raise it
  const paired = within < cases.length - 1 && isSpreadShown(cases) ? pairedT(cases.map(differenceOfMeans), alpha) : null
  if (paired === null || paired.standardError >= found.standardError) return found
  return { standardError: paired.standardError, df: paired.df, correction: 0 }
}

function toCell(scores: readonly number[]): Cell {
  const rate = (sampleMean(scores) * scores.length + 1) / (scores.length + 2)
  return { scores, prior: rate * (1 - rate) }
}

function spreadWithinCases(cases: readonly CaseScores[], cells: readonly Cell[], within: number): SpreadOfMean {
  const weight = weighPrior(cases.length)
  const scale = scalePrior(cells, weight)
  let [variance, weights] = [0, 0]
  for (const { scores, prior } of cells) {
    const df = scores.length - 1
    const own = (priorDf * scale * prior + df * sampleVariance(scores)) / (priorDf + df)
    const part = own / scores.length / cases.length ** 2
    variance += part
    weights += part ** 2 / (priorDf + df)
  }
  const df = Math.min(variance ** 2 / weights, within === 0 ? Number.POSITIVE_INFINITY : weight + within)
  return { standardError: Math.sqrt(variance), df, correction: correctSteps(cases, cells) }
}

/** The weight of the prior's scale in degrees of freedom: few cases say little about each other. Infinite for one case. */
function weighPrior(cases: number): number {
  return 2.5 + 8 / (cases - 1) ** 2
}

/** By how much the variance that runs show differs from the prior, over all cells: 1 where they show none. */
function scalePrior(cells: readonly Cell[], weight: number): number {
  if (weight === Number.POSITIVE_INFINITY) return 1
  let [shown, expected] = [0, 0]
  for (const { scores, prior } of cells) {
    shown += (scores.length - 1) * sampleVariance(scores)
    expected += (scores.length - 1) * prior
  }
  const assumed = weight * sampleMean(cells.map(({ prior }) => prior))
  return (assumed + shown) / (assumed + expected)
}

/** Runs that all pass or fail as a whole move the mean in steps, so that small suites of coin flips reject too often. */
function correctSteps(cases: readonly CaseScores[], cells: readonly Cell[]): number {
  const isWhole = cells.every(({ scores }) => scores.every((score) => score < near || score > 1 - near))
  return isWhole ? stepCorrection(cases.length, Math.max(...cells.map(({ scores }) => scores.length))) : 0
}

/** Half of a step is left out (Yates), a quarter where cases and runs are more. */
export function stepCorrection(cases: number, runs: number): number {
  return (cases < 4 || runs < 3 ? 1 / 2 : 1 / 4) / (cases * runs)
}

/** Degrees of freedom to expect of a design: all cells vary alike. */
export function expectedDf(cases: number, runs: number): number {
  if (runs === 1) return Math.max(1, cases - 1)
  return Math.min(2 * cases * (priorDf + runs - 1), weighPrior(cases) + 2 * cases * (runs - 1))
}

/** One-sided p-value of the hypothesis that the true difference is at most `value`. */
export function testGreater({ mean, standardError, df, correction }: ModeratedT, value: number): number {
  return tCdf((correction - (mean - value)) / standardError, df)
}

/** One-sided p-value of the hypothesis that the true difference is at least `value`. */
export function testLess({ mean, standardError, df, correction }: ModeratedT, value: number): number {
  return tCdf((correction + (mean - value)) / standardError, df)
}
