/**
 * The verdict with a price, from six one-sided tests on these cases. A claim rejects all of its hypotheses (intersection-union), and at
 * most three families of claims can be wrong at once, so that all claims together are wrong with a probability of at most alpha.
 * Simulated: test/slow/price.nightly.test.ts.
 */
import type { PriceTest, PriceVerdict } from '../../../../../schemas/price.ts'
import { roundPValue } from '../numbers/round.ts'
import type { CaseScores } from '../scores/case_scores.ts'
import { type ModeratedT, moderatedT, testGreater, testLess } from '../tests/moderated_t.ts'
import { type CasePrices, testPriceRatio } from './price_ratio.ts'

/** One case: the scores of its runs, and what each of them cost. */
export interface PricedCase {
  scores: CaseScores
  prices: CasePrices
}

/** null: no case has runs in both configurations. `margin`: a share of the pass rate, and of the price. */
export function decidePrice(
  cases: readonly PricedCase[],
  { alpha, margin }: { alpha: number; margin: number },
): { verdict: PriceVerdict; tests: PriceTest[] } | null {
  const rate = moderatedT(
    cases.map(({ scores }) => scores),
    { alpha },
  )
  if (rate === null) return null
  const tests = testAll(rate, cases, { alpha, margin })
  return { verdict: chooseVerdict(tests), tests }
}

/** The part of alpha of a test that shows a direction, and of one that only limits a loss. */
export const directionShare = 1 / 3
export const limitShare = 2 / 3

function testAll(
  rate: ModeratedT,
  cases: readonly PricedCase[],
  { alpha, margin }: { alpha: number; margin: number },
): PriceTest[] {
  const prices = cases.map((one) => one.prices)
  const equal = testPriceRatio(prices, 1)
  const found = [
    { name: 'rate_higher', null_hypothesis: 'difference ≤ 0', share: directionShare, p: testGreater(rate, 0) },
    { name: 'rate_lower', null_hypothesis: 'difference ≥ 0', share: directionShare, p: testLess(rate, 0) },
    {
      name: 'rate_within_margin',
      null_hypothesis: 'difference ≤ −margin',
      share: limitShare,
      p: testGreater(rate, -margin),
    },
    { name: 'price_lower', null_hypothesis: 'ratio ≥ 1', share: directionShare, p: equal.below },
    { name: 'price_higher', null_hypothesis: 'ratio ≤ 1', share: limitShare, p: equal.above },
    {
      name: 'price_within_margin',
      null_hypothesis: 'ratio ≥ 1 + margin',
      share: limitShare,
      p: testPriceRatio(prices, 1 + margin).below,
    },
  ] as const
  return found.map(({ share, p, ...test }) => {
    const level = share * alpha
    return { ...test, p_value: roundPValue(Math.min(1, p)), level: Number(level.toFixed(6)), rejected: p <= level }
  })
}

/** In order of precedence: a shown loss or a shown higher price is always said. */
function chooseVerdict(tests: readonly PriceTest[]): PriceVerdict {
  const isShown = (name: PriceTest['name']) => tests.some((test) => test.name === name && test.rejected)
  if (isShown('rate_lower')) return 'worse'
  if (isShown('rate_higher') && isShown('price_higher')) return 'better_but_dearer'
  if (isShown('rate_higher') && isShown('price_within_margin')) return 'better'
  if (isShown('rate_within_margin') && isShown('price_lower')) return 'as_good_and_cheaper'
  return 'inconclusive'
}
