/** Adaptive stopping, simulated in small (in large: test/slow/until.nightly.test.ts): type I error, power, and what a suite without a difference costs. */
import { describe, expect, test } from 'vitest'
import { createSeededRandom } from '../../../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { analyzeBlocks } from '../../../../../src/phases/4-report/stats/power/group_sequential.ts'
import { predictivePower } from '../../../../../src/phases/4-report/stats/power/look_schedule.ts'
import { theseCases } from '../../../../../src/phases/4-report/stats/scopes/these_cases.ts'
import { usualOptions } from '../../../../../src/phases/4-report/stats/statistics_options.ts'
import { permuteWithinCases } from '../../../../../src/phases/4-report/stats/tests/permutation.ts'
import { runSuite } from '../../../../slow/generators.ts'
import { alpha } from '../near.ts'

const trials = 400

/** Four cases of at most 20 runs that pass or fail; the share of suites, and the mean share of the budget. */
function simulate(effect: number, fixedTrials: number) {
  const random = createSeededRandom(30)
  const plan = { cases: 4, runs: 20, expectations: 1 }
  let [until, wrong, fixed, cost] = [0, 0, 0, 0]
  for (let trial = 0; trial < trials; trial += 1) {
    const truths = Array.from({ length: plan.cases }, () => {
      const baseline = (1 - effect) * random()
      return { baseline, candidate: baseline + effect }
    })
    const scores = runSuite(random, truths, plan).map((one) => one.scores)
    const last = analyzeBlocks(scores, { ...usualOptions, sequential: { maxRuns: 20, cases: 4, finished: 20 } }).at(-1)
    if (last?.status === 'significant' && last.candidateMean > last.baselineMean) until += 1 / trials
    if (last?.status === 'significant' && last.candidateMean < last.baselineMean) wrong += 1 / trials
    cost += (last?.blocks ?? 20) / 20 / trials
    if (trial < fixedTrials && permuteWithinCases(scores, trial).pValue <= alpha) fixed += 1 / fixedTrials
  }
  return { until, wrong, fixed, cost }
}

test('no difference: rejects in at most 5 of 100, and costs at most 60 % of the budget', () => {
  const { until, wrong, cost } = simulate(0, 0)
  expect(until + wrong).toBeLessThanOrEqual(0.05)
  expect(until + wrong).toBeGreaterThan(0.01)
  expect(cost).toBeLessThanOrEqual(0.6)
})

test.each([0.15, 0.3])('a difference of %d: power within .1 of the test of all runs, at less cost', (effect) => {
  const { until, wrong, fixed, cost } = simulate(effect, trials)
  expect(until).toBeGreaterThan(fixed - 0.1)
  expect(wrong).toBeLessThan(0.01)
  expect(cost).toBeLessThan(0.75)
})

test('the interval of an open analysis, by hand', () => {
  const cases = Array.from({ length: 4 }, () => ({ candidate: [1, 1], baseline: [0, 1] }))
  const [, second] = analyzeBlocks(cases, { ...usualOptions, sequential: { maxRuns: 5, cases: 4, finished: 2 } })
  // 4 of 8 pairs are won, the others equal; .05 · (2/5)² may be spent, so z = 2.65207 and half the width is z · √(2 + z²) / 8
  expect(second).toMatchObject({ status: 'open', interval: { high: 1 } })
  expect(second?.interval.low).toBeCloseTo(0.5 - (2.65207 * Math.sqrt(2 + 2.65207 ** 2)) / 8, 5)
})

test.each([7, 9, 11, 13])('%d expectations a case: the verdict is what stopped the benchmark', (expectations) => {
  const random = createSeededRandom(expectations)
  const seen = new Set<string>()
  for (let trial = 0; trial < 60; trial += 1) {
    const truths = Array.from({ length: 3 }, () => ({ baseline: 0.4, candidate: 0.4 + 0.25 * random() }))
    const scores = runSuite(random, truths, { cases: 3, runs: 10, expectations }).map((one) => one.scores)
    const design = { ...usualOptions, sequential: { maxRuns: 10, cases: 3, finished: 10 } }
    const status = analyzeBlocks(scores, design).at(-1)?.status
    const { verdict, difference } = theseCases(scores, design)
    expect(verdict === 'helps' || verdict === 'hurts', `${trial}: ${status}`).toBe(status === 'significant')
    if (status === 'significant') expect((difference.ci_low ?? 0) > 0 || (difference.ci_high ?? 0) < 0).toBe(true)
    seen.add(verdict)
  }
  expect(seen).toContain('helps')
})

describe('predictive power', () => {
  const ties = { pairs: 20, unequal: 0, sum: 0, squares: 0, variance: 0, group: 2, remaining: 60, alpha }
  const won = (wins: number, losses: number) => {
    const unequal = wins + losses
    return { ...ties, unequal, sum: wins - losses, squares: unequal, variance: unequal }
  }
  test.each([
    ['10 won, 0 lost', won(10, 0), 0.9, 1],
    ['5 won, 5 lost', won(5, 5), 0.2, 0.35],
    ['ties', ties, 0.02, 0.1],
    ['too few runs left', { ...won(2, 2), remaining: 2 }, 0, 0],
  ])('%s', (_, found, low, high) => {
    expect(predictivePower(found)).toBeGreaterThanOrEqual(low)
    expect(predictivePower(found)).toBeLessThanOrEqual(high)
  })
  test('in either direction alike; nothing to predict without a pair or a run left', () => {
    expect(predictivePower(won(2, 7))).toBeCloseTo(predictivePower(won(7, 2)) ?? 0, 12)
    expect(predictivePower({ ...ties, pairs: 0 })).toBeNull()
    expect(predictivePower({ ...ties, remaining: 0 })).toBeNull()
  })
})
