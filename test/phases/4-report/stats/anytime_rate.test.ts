/** Evidence about a rate: against numbers by hand, and its promise to be at most 1 on average, whenever one stops. */
import { describe, expect, test } from 'vitest'
import { weighHigherRate, weighLowerRate } from '../../../../src/features/triggers/all/theft_rule.ts'
import { createSeededRandom } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'

describe('reference values', () => {
  // ∫ from r to 1 of p^k (1−p)^(n−k) dp ÷ (1−r), divided by r^k (1−r)^(n−k): integrals of polynomials, by hand
  test.each([
    [0, 0, 0.05, 1],
    [1, 1, 0.5, (1 - 0.25) / 2 / 0.5 / 0.5],
    [0, 5, 0.05, 0.95 ** 6 / 6 / 0.95 / 0.95 ** 5],
    [5, 5, 0.05, (1 - 0.05 ** 6) / 6 / 0.95 / 0.05 ** 5],
    [1, 2, 0.5, (1 / 2 - 1 / 3 - (0.125 - 1 / 24)) / 0.5 / 0.25],
  ])('%i of %i against %d', (k, n, rate, expected) => {
    expect(weighHigherRate(k, n, rate) / expected).toBeCloseTo(1, 9)
  })

  test('many runs stay finite and precise', () => {
    expect(weighHigherRate(0, 2000, 0.05)).toBeGreaterThan(0)
    expect(weighHigherRate(0, 2000, 0.05)).toBeLessThan(1)
    expect(weighHigherRate(50, 1000, 0.05)).toBeGreaterThan(0)
  })

  test('no read in five runs rules a rate of a half out at 10%, one read does not', () => {
    expect(weighLowerRate(0, 5, 0.5)).toBeCloseTo(((1 - 0.5 ** 6) / 6 / 0.5) * 32, 9)
    expect(weighLowerRate(0, 5, 0.5)).toBeGreaterThan(10)
    expect(weighLowerRate(1, 5, 0.5)).toBeLessThan(10)
  })
})

/** Share of 2,000 sequences in which the evidence ever reaches 20 within 60 trials; `rates` take turns. */
function everReaches(rates: readonly number[], weigh: (k: number, n: number) => number, everyTrial: boolean): number {
  const random = createSeededRandom(11)
  let reached = 0
  for (let sequence = 0; sequence < 2000; sequence += 1) {
    let k = 0
    for (let n = 1; n <= 60; n += 1) {
      if (random() < (rates[n % rates.length] ?? 0)) k += 1
      if ((everyTrial || n % rates.length === 0) && weigh(k, n) >= 20) {
        reached += 1
        break
      }
    }
  }
  return reached / 2000
}

describe('looking after every trial', () => {
  test('at the rate itself the evidence reaches 20 in at most 1 of 20 sequences', () => {
    expect(everReaches([0.05], (k, n) => weighHigherRate(k, n, 0.05), true)).toBeLessThanOrEqual(0.05)
    expect(everReaches([0.5], (k, n) => weighLowerRate(k, n, 0.5), true)).toBeLessThanOrEqual(0.05)
  })

  test('queries of different rates with the same mean do not exceed it, where each is run equally often', () => {
    expect(everReaches([0.25, 0, 0, 0, 0], (k, n) => weighHigherRate(k, n, 0.05), false)).toBeLessThanOrEqual(0.05)
    expect(everReaches([1, 1, 0.5, 0, 0], (k, n) => weighLowerRate(k, n, 0.5), false)).toBeLessThanOrEqual(0.05)
  })

  test('negative control: a likelihood ratio of the best fitting rate exceeds it', () => {
    const bestFit = (k: number, n: number) =>
      k / n <= 0.05 ? 1 : (k / n / 0.05) ** k * (k === n ? 1 : ((1 - k / n) / 0.95) ** (n - k))
    expect(everReaches([0.05], bestFit, true)).toBeGreaterThan(0.05)
  })
})
