/** What each unit of a skill changes, held against numbers computed by hand. */
import { describe, expect, test } from 'vitest'
import { decideUnit } from '../../../src/features/prune/stats/screening_power.ts'
import { estimateUnitEffects } from '../../../src/features/prune/stats/unit_effects.ts'

const runs = [
  { has: [true, true], value: 1 },
  { has: [true, false], value: 0.5 },
  { has: [false, true], value: 0.25 },
  { has: [false, false], value: 0 },
].map((one) => ({ evalId: 1, ...one }))

/**
 * Effects: 0.75 - 0.125 and 0.625 - 0.25. Each residual is 0.0625 (a quarter of the interaction 1 - 0.5 - 0.25), with 4 - 2 - 1 = 1
 * degree of freedom: variance 4 × 0.0625², standard error its root, as the units are orthogonal and their squares add up to 1.
 * The t of 5 at one degree of freedom: p = 1 - 2 atan(5) / π.
 */
test('the four ways to have two units', () => {
  const fit = estimateUnitEffects(runs, { units: 2, alpha: 0.05, least: 0 })
  expect(fit).toMatchObject({ runs: 4, mean: 0.4375 })
  expect(fit?.variance).toBeCloseTo(0.015625, 10)
  const [first, second] = fit?.effects ?? []
  expect(first?.mean).toBeCloseTo(0.625, 10)
  expect(second?.mean).toBeCloseTo(0.375, 10)
  expect(first?.standardError).toBeCloseTo(0.125, 10)
  expect(first?.df).toBeCloseTo(1, 10)
  expect(first?.pValue).toBeCloseTo(1 - (2 * Math.atan(5)) / Math.PI, 6)
})

test('too few runs tell nothing, nor do units that were always there together', () => {
  expect(estimateUnitEffects(runs.slice(0, 3), { units: 2, alpha: 0.05, least: 0 })).toBeNull()
  const both = [...runs, ...runs].filter(({ has }) => has[0] === has[1])
  expect(estimateUnitEffects(both, { units: 2, alpha: 0.05, least: 0 })).toBeNull()
})

describe('a unit', () => {
  const effect = (mean: number, standardError: number, pAdjusted = 1) => ({
    ...{ mean, standardError, df: 100, low: mean - 2 * standardError, high: mean + 2 * standardError },
    ...{ pValue: pAdjusted, pAdjusted },
  })
  test.each([
    ['helps', effect(0.2, 0.05)],
    ['open', effect(0.05, 0.1)],
    ['none', effect(-0.01, 0.01)],
    ['harms', effect(-0.2, 0.05, 0.01)],
  ])('%s', (verdict, one) => expect(decideUnit(one, { units: 4, detect: 0.1 })).toBe(verdict))
})
