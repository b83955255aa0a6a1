/** The ratio of the mean prices of both configurations on these cases, with tests against any ratio and an interval from the same tests. */
import { smallestPValue } from '../../../../base/smallest_design.ts'
import { tCdf } from '../distributions/quantiles.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'

/** Dollars or tokens of each run of one case. */
export interface CasePrices {
  candidate: readonly number[]
  baseline: readonly number[]
}

export interface PriceRatio {
  /** Means over the cases of the case means. */
  candidate: number
  baseline: number
  /** Candidate ÷ baseline. */
  ratio: number
  /** null: no run differs from another run of its case and configuration. */
  low: number | null
  high: number | null
}

/** How strongly the spread of all cells counts in the variance of one, in degrees of freedom. */
const priorDf = 2

/** Whether the cells have two runs on average: one run shows no spread. */
export function hasPriceSpread(cases: readonly CasePrices[]): boolean {
  const runs = cases.reduce((sum, { candidate, baseline }) => sum + candidate.length + baseline.length, 0)
  return runs >= 4 * cases.length
}

/** `cases`: all with runs in both configurations and a mean above 0 in both. */
export function estimatePriceRatio(cases: readonly CasePrices[], alpha: number): PriceRatio {
  const [candidate, baseline] = [meanPrice(cases, 'candidate'), meanPrice(cases, 'baseline')]
  const ratio = candidate / baseline
  const bounds = { low: null, high: null }
  if (relativeVariance(cases) === 0) return { candidate, baseline, ratio, ...bounds }
  const bound = (isInside: (value: number) => boolean, end: number) => bisect(ratio, end, isInside)
  return {
    candidate,
    baseline,
    ratio,
    low: bound((value) => tailAbove(contrast(cases, value)) > alpha / 2, ratio / mostFactor),
    high: bound((value) => tailBelow(contrast(cases, value)) > alpha / 2, ratio * mostFactor),
  }
}

/** One-sided p-values of the hypotheses that the true ratio is at most, and at least, `value`. Never below what so few runs can show. */
export function testPriceRatio(cases: readonly CasePrices[], value: number): { above: number; below: number } {
  const least = Math.min(1, smallestPValue(cases) / 2)
  const found = contrast(cases, value)
  return { above: Math.max(least, tailAbove(found)), below: Math.max(least, tailBelow(found)) }
}

/** The one-sided upper bound of candidate − baseline at this level, in the unit of the prices. */
export function boundExtraPrice(cases: readonly CasePrices[], level: number): number {
  const { difference, standardError } = contrast(cases, 1)
  if (standardError === 0) return difference
  const isInside = (more: number) => tailBelow({ ...contrast(cases, 1), difference: difference - more }) > level
  return bisect(difference, difference + 1000 * standardError, isInside)
}

interface Contrast {
  /** Candidate − value × baseline. */
  difference: number
  standardError: number
  /** By Satterthwaite. */
  df: number
}

/** The difference and its error; a cell's variance is moderated by the spread of all cells, in shares of their means (Smyth 2004). */
function contrast(cases: readonly CasePrices[], value: number): Contrast {
  const spread = relativeVariance(cases)
  let [variance, weights] = [0, 0]
  for (const { candidate, baseline } of cases) {
    for (const [prices, factor] of [
      [candidate, 1],
      [baseline, value],
    ] as const) {
      const df = prices.length - 1
      const moderated = (priorDf * spread * sampleMean(prices) ** 2 + df * sampleVariance(prices)) / (priorDf + df)
      const part = (factor ** 2 * moderated) / prices.length / cases.length ** 2
      variance += part
      weights += part ** 2 / (priorDf + df)
    }
  }
  const difference = meanPrice(cases, 'candidate') - value * meanPrice(cases, 'baseline')
  return { difference, standardError: Math.sqrt(variance), df: weights === 0 ? 1 : variance ** 2 / weights }
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

function meanPrice(cases: readonly CasePrices[], side: keyof CasePrices): number {
  return sampleMean(cases.map((one) => sampleMean(one[side])))
}

/** An interval ends here at the latest: the runs say nothing about the ratio. */
const mostFactor = 1000

/** The value farthest from `inside` toward `end` that is still inside. */
function bisect(inside: number, end: number, isInside: (value: number) => boolean): number {
  let [near, far] = [inside, end]
  if (isInside(far)) return far
  for (let step = 0; step < 60; step += 1) {
    const middle = (near + far) / 2
    if (isInside(middle)) near = middle
    else far = middle
  }
  return near
}
