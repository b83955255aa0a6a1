/** The joint error and the power of the verdict with a price, on all corners: rate better, equal or worse × price lower, equal or higher. */
import { expect, test } from 'vitest'
import type { PriceVerdict } from '../../schemas/price.ts'
import { createSeededRandom, type Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { decidePrice, type PricedCase } from '../../src/phases/4-report/stats/price/decide_price.ts'
import { normal, type Plan, runSuite } from './generators.ts'
import { printTable, share, twoErrors } from './table.ts'

const sessions = Number(process.env.WHETSTONE_TRIALS ?? 2000)
const [alpha, margin] = [0.05, 0.1]

interface Corner {
  /** Candidate − baseline, the mean over the cases. */
  difference: number
  /** Candidate ÷ baseline, of the mean prices. */
  ratio: number
}

interface PricedTruth {
  candidate: number
  baseline: number
  /** Mean price of a run. */
  price: { candidate: number; baseline: number }
  /** Standard deviation of the logarithm of a run's price. */
  spread: number
}

/** Effects vary by ±15 points around the mean and prices by a factor of ten between cases. */
function drawPricedTruths(random: Random, cases: number, { difference, ratio }: Corner): PricedTruth[] {
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
function runPricedSuite(random: Random, truths: readonly PricedTruth[], plan: Plan): PricedCase[] {
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

/** Whether the claim is true; the verdicts are what they say, at these exact truths. */
function isTrue(verdict: PriceVerdict, { difference, ratio }: Corner): boolean {
  switch (verdict) {
    case 'better':
      return difference > 0 && ratio < 1 + margin
    case 'better_but_dearer':
      return difference > 0 && ratio > 1
    case 'as_good_and_cheaper':
      return difference > -margin && ratio < 1
    case 'worse':
      return difference < 0
    case 'inconclusive':
      return true
  }
}

const corners: Corner[] = [0.3, 0, -margin, -0.3].flatMap((difference) =>
  [0.7, 1, 1 + margin, 1.4].map((ratio) => ({ difference, ratio })),
)

const plans: Plan[] = [
  { cases: 4, runs: 3, expectations: 1 },
  { cases: 4, runs: 10, expectations: 4, correlation: 0.7 },
  { cases: 10, runs: 3, expectations: 4, correlation: 0.35 },
  { cases: 12, runs: 10, expectations: 1 },
  { cases: 30, runs: 5, expectations: 4, correlation: 0.35 },
]

const verdicts = ['better', 'as_good_and_cheaper', 'better_but_dearer', 'worse', 'inconclusive'] as const

function simulate(
  plan: Plan,
  corner: Corner,
  seed: number,
  level = alpha,
): Record<PriceVerdict, number> & { wrong: number } {
  const random = createSeededRandom(seed)
  const counts = { better: 0, as_good_and_cheaper: 0, better_but_dearer: 0, worse: 0, inconclusive: 0, wrong: 0 }
  for (let session = 0; session < sessions; session += 1) {
    const truths = drawPricedTruths(random, plan.cases, corner)
    const found = decidePrice(runPricedSuite(random, truths, plan), { alpha: level, margin })
    if (found === null) throw new Error('nothing to compare')
    counts[found.verdict] += 1 / sessions
    if (!isTrue(found.verdict, corner)) counts.wrong += 1 / sessions
  }
  return counts
}

test.each(plans)(
  '$cases cases × $runs runs, $expectations expectations: a wrong claim in at most 5 of 100 sessions',
  (plan) => {
    const found = corners.map((corner, at) => ({ corner, counts: simulate(plan, corner, 100 * plan.cases + at) }))
    printTable(
      `${plan.cases} cases × ${plan.runs} runs, ${plan.expectations} expectations`,
      ['difference, price ratio', ...verdicts, 'wrong claim'],
      found.map(({ corner, counts }) => [
        `${corner.difference}, ${corner.ratio.toFixed(1)}`,
        ...verdicts.map((verdict) => share(counts[verdict])),
        share(counts.wrong),
      ]),
    )
    const most = alpha + twoErrors(alpha, sessions)
    expect(found.filter(({ counts }) => counts.wrong > most).map(({ corner }) => corner)).toEqual([])
  },
)

test('negative control: without the division of alpha, claims are wrong more often', () => {
  const plan = { cases: 30, runs: 5, expectations: 4, correlation: 0.35 }
  const { wrong } = simulate(plan, { difference: 0, ratio: 0.7 }, 77, 3 * alpha)
  expect(wrong).toBeGreaterThan(alpha + twoErrors(alpha, sessions))
})
