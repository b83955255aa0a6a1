/** What a plan can see, and how noise is known: before anything is spent, and from runs made for it. */
import { describe, expect, test } from 'vitest'
import { detectableBefore, neededFor } from '../../../../src/phases/4-report/stats/before.ts'
import { boundaryAlpha, eValue } from '../../../../src/phases/4-report/stats/e_value.ts'
import { calibrationOf, splitNoise } from '../../../../src/phases/4-report/stats/noise.ts'
import { normalQuantile } from '../../../../src/phases/4-report/stats/quantiles.ts'
import { seeded } from '../../../../src/phases/4-report/stats/random.ts'
import { untilDetectable, untilPower } from '../../../../src/phases/4-report/stats/until_power.ts'
import { alpha, near } from './near.ts'
import reference from './reference.json' with { type: 'json' }

test('the smallest difference of a plan, by scope', () => {
  near(detectableBefore({ cases: 20, runs: 3 }).cases_like_these, reference.power['mde n=20 w2=1/9 s=1/6 K=3'])
  expect(detectableBefore({ cases: 4, runs: 10 }).cases_like_these).toBeNull()
  near(detectableBefore({ cases: 4, runs: 10 }).these_cases, Math.sqrt((7.848879734349088 * (1 / 3 / 10)) / 4))
  expect(detectableBefore({ cases: 1, runs: 1 }).these_cases).toBe(1)
})

test.each([
  [4, 3, 0.2, 17, 44],
  [10, 3, 0.5, 2, 7],
  [4, 3, 0.9, 2, 6],
])('%i cases × %i runs, to see %d: %i runs or %i cases', (cases, runs, detect, needRuns, needCases) => {
  expect(neededFor(detect, { cases, runs })).toEqual({ runs: needRuns, cases: needCases })
})

test('cases like these: what is too coarse finds nothing, and needs more cases', () => {
  const coarse = { cases: 6, runs: 3, expectations: 1 }
  expect(detectableBefore(coarse).cases_like_these).toBeNull()
  expect(detectableBefore({ ...coarse, cases: 9 }).cases_like_these).not.toBeNull()
  expect(neededFor(0.9, coarse).cases).toBe(9)
  expect(neededFor(0.9, { ...coarse, expectations: 4 }).cases).toBe(6)
  expect(neededFor(0.9, { ...coarse, until: true }).cases).toBeNull()
})

test('more power needs more; a steadier suite needs less', () => {
  const planned = { cases: 4, runs: 3 }
  expect(neededFor(0.2, { ...planned, power: 0.95 }).runs).toBeGreaterThan(neededFor(0.2, planned).runs)
  const spread = { between: 0.01, candidate: 0.01, baseline: 0.01 }
  expect(neededFor(0.2, { ...planned, spread })).toEqual({ runs: 2, cases: 6 })
})

describe('stopped by looks', () => {
  test('so many runs see less than without looks, and more are needed', () => {
    const planned = { cases: 10, runs: 10 }
    const [fixed, until] = [detectableBefore(planned), detectableBefore({ ...planned, until: true })]
    expect(until.these_cases).toBeGreaterThan(fixed.these_cases * 1.2)
    expect(fixed.cases_like_these).not.toBeNull()
    expect(until.cases_like_these).toBeNull() // no verdict there
    const { runs } = neededFor(0.3, { ...planned, until: true })
    expect(runs).toBeGreaterThan(neededFor(0.3, planned).runs)
    expect(detectableBefore({ ...planned, runs, until: true }).these_cases).toBeLessThanOrEqual(0.3)
  })
  test('runs that could not decide, whatever they show, see nothing', () => {
    near(detectableBefore({ cases: 4, runs: 1, until: true }).these_cases, 1)
    expect(untilPower(1, { pairs: 4, block: 4, variance: 1 / 3, alpha })).toBe(0)
    expect(boundaryAlpha(6, alpha)).toBeNull()
  })
  test('seven pairs that are all won decide: that likely is the least difference of seven', () => {
    const { these_cases: least } = detectableBefore({ cases: 1, runs: 7, until: true })
    // every pair is unequal then, and won with the chance (1 + difference) / 2
    near(((1 + least) / 2) ** 7, 0.8)
  })
  test.each([1, 2, 3, 4, 10])('%i cases: each run more sees as much or more, without a cliff', (cases) => {
    const seen = Array.from(
      { length: 40 },
      (_, at) => detectableBefore({ cases, runs: at + 1, until: true }).these_cases,
    )
    for (const [at, one] of seen.entries()) {
      const before = seen[at - 1] ?? 1
      expect(one).toBeLessThanOrEqual(before + 1e-5)
      // one block more is worth at most what it adds to the runs, and a step where it wins one loss more
      if (cases < 3) expect(before - one).toBeLessThan(0.25)
    }
  })
  test.each([0.3, 0.5, 0.9])('the runs needed for %d are those that detect it, and no fewer', (detect) => {
    const { runs } = neededFor(detect, { cases: 2, runs: 10, until: true })
    expect(detectableBefore({ cases: 2, runs, until: true }).these_cases).toBeLessThanOrEqual(detect + 1e-5)
    expect(detectableBefore({ cases: 2, runs: runs - 1, until: true }).these_cases).toBeGreaterThan(detect)
  })
  test('counted and by the normal distribution come to the same', () => {
    const at = (pairs: number) => untilDetectable(0.8, { pairs, block: 10, variance: 1 / 3, alpha })
    expect(Math.abs(at(2000) - at(2010))).toBeLessThan(0.001)
  })
  test('the chance to decide is that of the pairs themselves', () => {
    const [random, pairs, effect] = [seeded(11), 30, 0.5]
    const won = (0.25 + 1 / 3 + effect) / 2
    const decided = Array.from({ length: 20_000 }, () => {
      const draws = Array.from({ length: pairs }, random)
      const wins = draws.filter((one) => one < won).length
      return eValue(wins, draws.filter((one) => one > 1 - (won - effect)).length, 2) >= 20
    }).filter(Boolean).length
    const power = untilPower(effect, { pairs, block: 30, variance: 1 / 3, alpha })
    expect(Math.abs(decided / 20_000 - power)).toBeLessThan(0.015) // 4 standard errors
  })
  test.each([20, 100, 1000])('the test of fixed size that asks as much of %i unequal pairs', (pairs) => {
    const z = normalQuantile(1 - (boundaryAlpha(pairs, alpha) ?? 1) / 2)
    const wins = (pairs + z * Math.sqrt(pairs)) / 2
    expect(eValue(Math.ceil(wins) + 1, pairs - Math.ceil(wins) - 1, 2)).toBeGreaterThan(20)
    expect(eValue(Math.floor(wins) - 1, pairs - Math.floor(wins) + 1, 2)).toBeLessThan(20)
  })
})

test('the baseline against itself', () => {
  const found = calibrationOf([{ candidate: Array(10).fill(1), baseline: Array(10).fill(1) }], alpha)
  expect(found).toMatchObject({ difference: 0, n_runs: 20 })
  near(found?.floor, 1 - 0.722467)
  expect(calibrationOf([], alpha)).toBeNull()
})

test('grading noise is told from execution noise', () => {
  // Runs that are the same, verdicts that are not: all of it is grading.
  const graded = splitNoise([
    [
      [0, 1],
      [1, 0],
    ],
  ])
  expect(graded).toEqual({ execution_variance: 0, grading_variance: 0.5, n_runs: 2, gradings: 4 })
  // Verdicts that are the same, runs that are not: none of it is.
  const executed = splitNoise([
    [
      [0, 0],
      [1, 1],
    ],
  ])
  expect(executed).toEqual({ execution_variance: 0.5, grading_variance: 0, n_runs: 2, gradings: 4 })
  expect(splitNoise([[[1]], [[0]]])).toBeNull()
  // One run a cell: nothing is known of execution.
  expect(splitNoise([[[0, 1]], [[1, 1]]])).toEqual({
    execution_variance: null,
    grading_variance: 0.25,
    n_runs: 2,
    gradings: 4,
  })
})
