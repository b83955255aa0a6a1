/** Tests of the ratio of the mean prices of both configurations on these cases, against any ratio. */
import { smallestPValue } from '../../../../base/smallest_design.ts'
import { tCdf, tQuantile } from '../distributions/quantiles.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'

/** Dollars or tokens of each run of one case. */
export interface CasePrices {
  candidate: readonly number[]
  baseline: readonly number[]
}

/** How strongly the spread of all cells counts in the variance of one, in degrees of freedom. */
const priorDf = 2

/** Whether the cells have two runs on average: one run shows no spread. */
export function hasPriceSpread(cases: readonly CasePrices[]): boolean {
  const runs = cases.reduce((sum, { candidate, baseline }) => sum + candidate.length + baseline.length, 0)
  return runs >= 4 * cases.length
}

export function averagePrices(cases: readonly CasePrices[]): { candidate: number; baseline: number } {
  const { candidate, baseline } = summarizePrices(cases)
  return { candidate: candidate.mean, baseline: baseline.mean }
}

/** One-sided p-values of the hypotheses that the true ratio is at most, and at least, `value`. Never below what so few runs can show. */
export function testPriceRatio(cases: readonly CasePrices[], value: number): { above: number; below: number } {
  const least = Math.min(1, smallestPValue(cases) / 2)
  const found = contrast(summarizePrices(cases), value)
  return { above: Math.max(least, tailAbove(found)), below: Math.max(least, tailBelow(found)) }
}

/** The one-sided upper bound of candidate − baseline at this level, in the unit of the prices. */
export function boundExtraPrice(cases: readonly CasePrices[], level: number): number {
  const { difference, standardError, df } = contrast(summarizePrices(cases), 1)
  return standardError === 0 ? difference : difference + tQuantile(1 - level, df) * standardError
}

interface ArmPrices {
  /** Over the cases of the case means. */
  mean: number
  /** Of that mean. */
  variance: number
  /** Σ of the cells' squared parts of the variance ÷ their degrees of freedom (Satterthwaite). */
  weights: number
}

interface ArmsPrices {
  candidate: ArmPrices
  baseline: ArmPrices
}

/** A cell's variance is moderated by the spread of all cells, in shares of their means (Smyth 2004). */
function summarizePrices(cases: readonly CasePrices[]): ArmsPrices {
  const spread = relativeVariance(cases)
  const summarize = (cells: readonly (readonly number[])[]): ArmPrices => {
    let [variance, weights] = [0, 0]
    for (const prices of cells) {
      const df = prices.length - 1
      const moderated = (priorDf * spread * sampleMean(prices) ** 2 + df * sampleVariance(prices)) / (priorDf + df)
      const part = moderated / prices.length / cells.length ** 2
      variance += part
      weights += part ** 2 / (priorDf + df)
    }
    return { mean: sampleMean(cells.map(sampleMean)), variance, weights }
  }
  return {
    candidate: summarize(cases.map(({ candidate }) => candidate)),
    baseline: summarize(cases.map(({ baseline }) => baseline)),
  }
}

interface Contrast {
  /** Candidate − value × baseline. */
  difference: number
  standardError: number
  df: number
}

function contrast({ candidate, baseline }: ArmsPrices, value: number): Contrast {
  const variance = candidate.variance + value ** 2 * baseline.variance
  const weights = candidate.weights + value ** 4 * baseline.weights
  return {
    difference: candidate.mean - value * baseline.mean,
    standardError: Math.sqrt(variance),
    df: weights === 0 ? 1 : variance ** 2 / weights,
  }
}

/** The squared coefficient of variation within cells, over all of them. */
function relativeVariance(cases: readonly CasePrices[]): number {
  let [sum, freedom] = [0, 0]
  for (const prices of cases.flatMap(({ candidate, baseline }) => [candidate, baseline])) {
    const mean = sampleMean(prices)
    if (mean === 0) continue
    sum += ((prices.length - 1) * sampleVariance(prices)) / mean ** 2
    freedom += prices.length - 1
  }
  return freedom === 0 ? 0 : sum / freedom
}

function tailAbove({ difference, standardError, df }: Contrast): number {
  if (standardError === 0) return difference > 0 ? 0 : 1
  return tCdf(-difference / standardError, df)
}

function tailBelow({ difference, ...error }: Contrast): number {
  return tailAbove({ difference: -difference, ...error })
}
