/** What a plan can see, and how noise is known: before anything is spent, and from runs made for it. */
import { describe, expect, test } from 'vitest'
import { tQuantile } from '../../../../../src/phases/4-report/stats/distributions/quantiles.ts'
import { createSeededRandom } from '../../../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import {
  computeNeededSize,
  plannedDetectable,
} from '../../../../../src/phases/4-report/stats/power/power_before_run.ts'
import { theseCases } from '../../../../../src/phases/4-report/stats/scopes/these_cases.ts'
import {
  dialogueVariance,
  measureCalibrationNoise,
  splitNoise,
} from '../../../../../src/phases/4-report/stats/scores/noise.ts'
import { usualOptions } from '../../../../../src/phases/4-report/stats/statistics_options.ts'
import { moderatedT } from '../../../../../src/phases/4-report/stats/tests/moderated_t.ts'
import { alpha, near } from '../near.ts'

test('the smallest difference of a plan, by scope', () => {
  const quantiles = (df: number) => tQuantile(0.975, df) + tQuantile(0.8, df)
  // between cases 1/9, within 1/6 in each configuration
  near(plannedDetectable({ cases: 20, runs: 3 }).cases_like_these, quantiles(19) * Math.sqrt((1 / 9 + 2 / 18) / 20))
  expect(plannedDetectable({ cases: 4, runs: 10 }).cases_like_these).toBeNull()
  // at most the degrees of freedom of the runs and of the prior, and the continuity correction of a quarter of a step
  near(
    plannedDetectable({ cases: 4, runs: 10 }).these_cases,
    quantiles(72 + 2.5 + 8 / 9) * Math.sqrt(1 / 3 / 10 / 4) + 1 / 160,
  )
  expect(plannedDetectable({ cases: 1, runs: 1 }).these_cases).toBe(1)
})

test.each([0.1, 0.3, 0.5])('the size needed for %d detects it, and one less does not', (detect) => {
  for (const cases of [1, 4, 10]) {
    const needed = computeNeededSize(detect, { cases, runs: 3 })
    expect(plannedDetectable({ cases, runs: needed.runs }).these_cases).toBeLessThanOrEqual(detect)
    expect(plannedDetectable({ cases, runs: needed.runs - 1 }).these_cases).toBeGreaterThan(detect)
    expect(plannedDetectable({ cases: needed.cases ?? 0, runs: 3 }).cases_like_these).toBeLessThanOrEqual(detect)
  }
})

test.each([
  [1, false, 4],
  [2, false, 3],
  [6, false, 1],
  [1, true, 4],
  [4, true, 2],
  [7, true, 1],
])('%i cases, adaptive stopping %s: below %i runs nothing can be significant', (cases, until, fewest) => {
  const at = (runs: number) => plannedDetectable({ cases, runs, until })
  expect(at(10).fewest_runs).toBe(fewest)
  if (fewest > 1) expect(at(fewest - 1).these_cases).toBe(1)
  expect(computeNeededSize(0.99, { cases, runs: 1, until }).runs).toBeGreaterThanOrEqual(fewest)
  // after the runs the same number holds
  const scores = Array.from({ length: cases }, () => ({
    candidate: Array(fewest).fill(1),
    baseline: Array(fewest).fill(0),
  }))
  const sequential = until ? { maxRuns: fewest, cases, finished: fewest } : null
  expect(theseCases(scores, { ...usualOptions, sequential }).verdict).toBe('helps')
  const fewer = scores.map(({ candidate, baseline }) => ({
    candidate: candidate.slice(1),
    baseline: baseline.slice(1),
  }))
  if (fewest > 1) expect(theseCases(fewer, { ...usualOptions, sequential }).verdict).not.toBe('helps')
})

test.each([
  [4, 3, 0.2, 18, 46],
  [10, 3, 0.5, 2, 10],
])('%i cases × %i runs, to see %d: %i runs or %i cases', (cases, runs, detect, needRuns, needCases) => {
  expect(computeNeededSize(detect, { cases, runs })).toEqual({ runs: needRuns, cases: needCases })
})

test('cases like these: what is too coarse finds nothing, and needs more cases', () => {
  const coarse = { cases: 6, runs: 3, expectations: 1 }
  expect(plannedDetectable(coarse).cases_like_these).toBeNull()
  expect(plannedDetectable({ ...coarse, cases: 9 }).cases_like_these).not.toBeNull()
  expect(computeNeededSize(0.9, coarse).cases).toBe(9)
  expect(computeNeededSize(0.9, { ...coarse, expectations: 4 }).cases).toBe(6)
  expect(computeNeededSize(0.9, { ...coarse, until: true }).cases).toBeNull()
})

test('more power needs more; a steadier suite needs less', () => {
  const planned = { cases: 4, runs: 3 }
  expect(computeNeededSize(0.2, { ...planned, power: 0.95 }).runs).toBeGreaterThan(computeNeededSize(0.2, planned).runs)
  const spread = { between: 0.01, candidate: 0.01, baseline: 0.01 }
  expect(computeNeededSize(0.2, { ...planned, spread })).toEqual({ runs: 3, cases: 6 })
})

describe('adaptive stopping', () => {
  test('so many runs detect less than without interim analyses, and more are needed', () => {
    const planned = { cases: 10, runs: 10 }
    const [fixed, until] = [plannedDetectable(planned), plannedDetectable({ ...planned, until: true })]
    expect(until.these_cases).toBeGreaterThan(fixed.these_cases * 1.05)
    expect(until.these_cases).toBeLessThan(fixed.these_cases * 1.2)
    expect(fixed.cases_like_these).not.toBeNull()
    expect(until.cases_like_these).toBeNull() // no verdict there
    const { runs } = computeNeededSize(0.2, { ...planned, until: true })
    expect(runs).toBeGreaterThan(computeNeededSize(0.2, planned).runs)
    const detected = (runs: number) => plannedDetectable({ ...planned, runs, until: true }).these_cases
    expect(detected(runs)).toBeLessThanOrEqual(0.2)
    expect(detected(runs - 1)).toBeGreaterThan(0.2)
  })
})

test('the baseline against itself', () => {
  const cases = [{ candidate: Array(10).fill(1), baseline: Array(10).fill(1) }]
  const found = measureCalibrationNoise(cases, alpha)
  expect(found).toMatchObject({ difference: 0, n_runs: 20 })
  near(found?.floor, moderatedT(cases, { alpha })?.high)
  expect(found?.floor).toBeGreaterThan(0.05)
  expect(measureCalibrationNoise([], alpha)).toBeNull()
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

describe('the noise of dialogues', () => {
  const run = (dialogue: string, ...scores: number[]) => ({ dialogue, scores })

  test('is all of it where runs with the same dialogue agree', () => {
    // between two dialogues of equal share: the variance of 0, 0, 1, 1 by pairs that differ
    expect(dialogueVariance([[run('a', 0), run('a', 0), run('b', 1), run('b', 1)]])).toBeCloseTo(0.5, 6)
  })
  test('is none of it where runs with the same dialogue differ as much as others', () => {
    expect(dialogueVariance([[run('a', 0), run('a', 1), run('b', 0), run('b', 1)]])).toBe(0)
    expect(dialogueVariance([[run('a', 0), run('a', 1)]])).toBe(0)
  })
  test('is not known where no dialogue repeats', () => {
    expect(dialogueVariance([[run('a', 0), run('b', 1)], [run('c', 1)]])).toBeNull()
  })
  test('is found on average in constructed runs', () => {
    const random = createSeededRandom(7)
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const cells = Array.from({ length: 4000 }, () => {
      const effects = { a: normal() * 0.3, b: normal() * 0.3, c: normal() * 0.3 }
      return (['a', 'a', 'b', 'b', 'c'] as const).map((one) => run(one, effects[one] + normal() * 0.2))
    })
    expect(dialogueVariance(cells)).toBeCloseTo(0.09, 2)
  })
})
