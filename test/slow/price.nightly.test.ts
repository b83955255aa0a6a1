/** The joint error and the power of the verdict with a price, on all corners: rate better, equal or worse × price lower, equal or higher. */
import { expect, test } from 'vitest'
import type { PriceVerdict } from '../../schemas/price.ts'
import { createSeededRandom } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { decidePrice } from '../../src/phases/4-report/stats/price/decide_price.ts'
import type { Plan } from './generators.ts'
import { type Corner, drawPricedTruths, runPricedSuite } from './priced_worlds.ts'
import { printTable, share, twoErrors } from './table.ts'

const sessions = Number(process.env.WHETSTONE_TRIALS ?? 2000)
const [alpha, margin] = [0.05, 0.1]

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
