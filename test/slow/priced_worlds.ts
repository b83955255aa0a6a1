/** Suites whose true difference and true price ratio are known exactly, though cases differ in difficulty, effect, price and spread. */
import type { Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import type { PricedCase } from '../../src/phases/4-report/stats/price/decide_price.ts'
import { normal, type Plan, runSuite } from './generators.ts'

export interface Corner {
  /** Candidate − baseline, the mean over the cases. */
  difference: number
  /** Candidate ÷ baseline, of the mean prices. */
  ratio: number
}

export interface PricedTruth {
  candidate: number
  baseline: number
  /** Mean price of a run. */
  price: { candidate: number; baseline: number }
  /** Standard deviation of the logarithm of a run's price. */
  spread: number
}

/** Effects vary by ±15 points around the mean and prices by a factor of ten between cases. */
export function drawPricedTruths(random: Random, cases: number, { difference, ratio }: Corner): PricedTruth[] {
  const middle = 0.5 - difference / 2
  const offsets = centred(Array.from({ length: cases }, () => 0.3 * (random() - 0.5)))
  const room = Math.min(middle, middle + difference, 1 - middle, 1 - middle - difference) - 0.16
  const scales = Array.from({ length: cases }, () => 0.05 * Math.exp(0.8 * normal(random)))
  const factors = scales.map(() => Math.exp(0.2 * normal(random)))
  const total = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0)
  const correction = (ratio * total(scales)) / total(scales.map((scale, at) => scale * (factors[at] ?? 1)))
  return scales.map((scale, at) => {
    const baseline = middle + Math.max(0, room) * (2 * random() - 1)
    return {
      baseline,
      candidate: Math.min(1, Math.max(0, baseline + difference + (offsets[at] ?? 0))),
      price: { baseline: scale, candidate: scale * (factors[at] ?? 1) * correction },
      spread: 0.15 + 0.45 * random(),
    }
  })
}

/** Prices are log-normal, and a run that fails costs more. */
export function runPricedSuite(random: Random, truths: readonly PricedTruth[], plan: Plan): PricedCase[] {
  return runSuite(random, truths, plan).map(({ scores }, at) => {
    const truth = truths[at]
    if (truth === undefined) throw new Error('a case without a truth')
    const prices = (side: 'candidate' | 'baseline') =>
      scores[side].map((score) => {
        const noise = Math.exp(truth.spread * normal(random) - truth.spread ** 2 / 2)
        return truth.price[side] * noise * (1 + 0.3 * (truth[side] - score))
      })
    return {
      scores: { ...scores, expectations: plan.expectations },
      prices: { candidate: prices('candidate'), baseline: prices('baseline') },
    }
  })
}

function centred(values: readonly number[]): number[] {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  return values.map((value) => value - mean)
}
