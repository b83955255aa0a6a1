/** The calibration of the moderated t in a few designs. All of them: test/slow/moderated.nightly.test.ts. */
import { describe, expect, test } from 'vitest'
import { tCdf, tQuantile } from '../../../../src/phases/4-report/stats/distributions/quantiles.ts'
import { sampleMean, sampleVariance } from '../../../../src/phases/4-report/stats/numbers/moments.ts'
import { equalWorlds, type Plan, worlds } from '../../../slow/generators.ts'
import { type IntervalOnCases, simulateDesign } from '../../../slow/simulate_design.ts'
import { twoErrors } from '../../../slow/table.ts'

const suites = 400
const seed = 7
const alpha = 0.05
const plan = (cases: number, runs: number, expectations: number, correlation: number): Plan => ({
  cases,
  runs,
  expectations,
  correlation,
})

describe('the interval contains the true difference of the cases', () => {
  test.each<[keyof typeof worlds, Plan]>([
    ['smooth', plan(4, 3, 4, 0.35)],
    ['bimodal', plan(3, 5, 1, 0)],
    ['saturated', plan(8, 1, 4, 1)],
    ['heteroscedastic', plan(2, 4, 2, 1)],
  ])('%s, %o', (world, design) => {
    const { coverage } = simulateDesign(worlds[world], design, { suites, seed, effect: 0.2 })
    expect(coverage).toBeGreaterThan(0.93 - twoErrors(0.93, suites))
  })
})

describe('equal configurations rarely differ', () => {
  test.each<[keyof typeof equalWorlds, Plan]>([
    ['no difference', plan(4, 3, 4, 0.35)],
    ['every case at .5', plan(4, 5, 4, 1)],
  ])('%s, %o', (world, design) => {
    const { coverage, verdicts } = simulateDesign(equalWorlds[world], design, { suites, seed, effect: 0 })
    expect(coverage).toBeGreaterThan(0.93 - twoErrors(0.93, suites))
    expect(verdicts).toBeLessThan(0.06 + twoErrors(0.06, suites))
  })
})

describe('what each part is for: without it the same simulation fails', () => {
  test('the prior variance: cells whose runs all agree have a variance of 0', () => {
    const design = plan(1, 4, 1, 0)
    const draws = { suites, seed, effect: 0.2 }
    const [whole, without] = [
      simulateDesign(worlds.bimodal, design, draws),
      simulateDesign(worlds.bimodal, design, { ...draws, interval: unmoderated }),
    ]
    expect(whole.coverage).toBeGreaterThan(0.93)
    expect(without.coverage).toBeLessThan(0.85)
  })
})

/** Welch's t: the variances as observed. */
const unmoderated: IntervalOnCases = (cases) => {
  const cells = cases.flatMap(({ candidate, baseline }) => [candidate, baseline])
  const parts = cells.map((scores) => ({
    part: sampleVariance(scores) / scores.length / cases.length ** 2,
    df: scores.length - 1,
  }))
  const variance = parts.reduce((sum, { part }) => sum + part, 0)
  const mean = sampleMean(cases.map(({ candidate, baseline }) => sampleMean(candidate) - sampleMean(baseline)))
  if (variance === 0) return { low: mean, high: mean, pValue: mean === 0 ? 1 : 0 }
  const df = variance ** 2 / parts.reduce((sum, one) => sum + one.part ** 2 / one.df, 0)
  const half = tQuantile(1 - alpha / 2, df) * Math.sqrt(variance)
  return { low: mean - half, high: mean + half, pValue: 2 * tCdf(-Math.abs(mean) / Math.sqrt(variance), df) }
}
