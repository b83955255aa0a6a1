/** Quantiles, intervals for counts, and the paired t, against the reference values. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signTest } from '../../../../src/features/compare/summarize.ts'
import { wilson } from '../../../../src/phases/4-report/stats/distributions/binomial.ts'
import {
  betaCdf,
  betaQuantile,
  normalCdf,
  normalQuantile,
  tCdf,
  tQuantile,
} from '../../../../src/phases/4-report/stats/distributions/quantiles.ts'
import { createSeededRandom } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { pairedT } from '../../../../src/phases/4-report/stats/tests/paired_t.ts'
import { alpha, ends, near } from './near.ts'
import reference from './reference.json' with { type: 'json' }

describe('quantiles', () => {
  test.each(Object.entries(reference.t_quantiles_975))('t .975 with %s degrees of freedom', (df, value) => {
    near(tQuantile(0.975, Number(df)), value)
    near(tQuantile(0.025, Number(df)), -value)
  })
  test.each([
    [0.975, 1.959963984540054],
    [0.8, 0.8416212335729143],
    [0.5, 0],
    [0.001, -3.090232306167813],
    [1e-6, -4.753424308822899],
  ])('normal %d', (p, z) => {
    expect(normalQuantile(p)).toBeCloseTo(z, 8)
    expect(normalCdf(z)).toBeCloseTo(p, 12)
  })
  test('the power constant', () =>
    near((normalQuantile(0.975) + normalQuantile(0.8)) ** 2, reference.power['(z.975+z.8)^2']))
  const shape = fc.double({ min: 0.3, max: 400, noNaN: true })
  const inside = fc.double({ min: 0.001, max: 0.999, noNaN: true })
  // Next to 1 numbers lie 1e-16 apart, where a beta with b < 1 may still hold 1e-5: no number there is nearer than its neighbours.
  const undoes = (p: number, a: number, b: number) => {
    const x = betaQuantile(p, a, b)
    const step = 4 * Number.EPSILON * x
    expect(betaCdf(x - step, a, b) - 1e-9).toBeLessThanOrEqual(p)
    expect(betaCdf(Math.min(1, x + step), a, b) + 1e-9).toBeGreaterThanOrEqual(p)
  }
  test('the beta quantile undoes the beta distribution', () => {
    fc.assert(fc.property(inside, shape, shape, undoes), { numRuns: 500 })
    for (const b of [0.3, 0.5, 1]) for (const p of [0.001, 0.5, 0.989, 0.999]) undoes(p, 400, b)
  })
  test('the beta quantile: to 1e-6 where the distribution has no pole at 1', () => {
    const regular = fc.double({ min: 1, max: 400, noNaN: true })
    fc.assert(
      fc.property(inside, shape, regular, (p, a, b) => near(betaCdf(betaQuantile(p, a, b), a, b), p)),
      { numRuns: 500 },
    )
  })
  test.each([1e-9, 1e-6, 0.00048, 0.01, 1, 5])(
    't with very many degrees of freedom is normal to 2e-8, also near 0: %d',
    (x) => {
      for (const at of [x, -x]) expect(Math.abs(tCdf(at, 5e7) - normalCdf(at))).toBeLessThan(2e-8)
    },
  )
  test('beta mirrors and t comes to normal', () => {
    fc.assert(fc.property(inside, shape, shape, (x, a, b) => near(betaCdf(x, a, b) + betaCdf(1 - x, b, a), 1)))
    fc.assert(
      fc.property(fc.double({ min: -5, max: 5, noNaN: true }), (x) => near(tCdf(x, 5e7), normalCdf(x))),
      { numRuns: 30 },
    )
  })
})

describe('intervals for counts', () => {
  test.each(reference.binomial_95)('$k of $n', ({ k, n, wilson: score }) => {
    ends(wilson(k, n, alpha), score)
  })
  test('Wilson has width and holds the rate', () => {
    const some = fc.integer({ min: 1, max: 500 }).chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)))
    fc.assert(
      fc.property(some, ([k, n]) => {
        const { low, high } = wilson(k, n, alpha)
        expect(high).toBeGreaterThan(low)
        expect(low).toBeLessThanOrEqual(k / n)
        expect(high).toBeGreaterThanOrEqual(k / n)
      }),
    )
  })
  test('nothing known: 0 to 1', () => expect(wilson(0, 0, alpha)).toEqual({ low: 0, high: 1 }))
  test.each(reference.mcnemar)('discordant $b and $c', (row) => {
    near(signTest(row.b, row.c, 2), row.exact_two_sided)
    near(signTest(row.b, row.c, 1), row.exact_one_sided)
  })
  test('wins of a blind comparison', () => near(signTest(7, 3, 2), reference.win_rate['sign test exact two sided 7v3']))
})

describe('paired by case', () => {
  const { paired, t_interval } = reference
  const differences = paired.with.map((one, at) => one - (paired.without[at] ?? 0))
  test('t', () => {
    const found = pairedT(differences, alpha)
    near(found?.mean, paired.delta)
    near(found?.standardError, paired.se_paired)
    near(found?.pValue, paired.p_two_sided_t)
    ends(found, paired.ci95_t)
  })
  test('t of one sample', () => {
    const found = pairedT(t_interval.x, alpha)
    near(found?.standardError, t_interval.se)
    ends(found, t_interval.ci)
  })
  test('one case has no interval', () => expect(pairedT([0.5], alpha)).toBeNull())
  test('no variation has no p', () => expect(pairedT([0.1, 0.1, 0.1], alpha)).toMatchObject({ pValue: null }))
})

describe('seeded draws', () => {
  test('the same seed gives the same, another another', () => {
    const first = (seed: number) => Array.from({ length: 5 }, createSeededRandom(seed))
    expect(first(7)).toEqual(first(7))
    expect(first(7)).not.toEqual(first(8))
    expect(first(7 + 2 ** 32)).not.toEqual(first(7))
  })
  test('uniform: mean, variance and the tenths', () => {
    const values = Array.from({ length: 100_000 }, createSeededRandom(42))
    const tenths = Array<number>(10).fill(0)
    for (const value of values) tenths[Math.floor(value * 10)] = (tenths[Math.floor(value * 10)] ?? 0) + 1
    expect(values.reduce((sum, one) => sum + one, 0) / values.length).toBeCloseTo(0.5, 2)
    for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(400) // 4 standard errors
  })
})
