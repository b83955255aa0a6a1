/** The moderated t against reference values, and the laws of the interval, p-value and guard on fixed cases. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fewestRuns, isTooSmall } from '../../../../src/base/smallest_design.ts'
import {
  caseBound,
  casesLikeThese,
  sampleInterval,
} from '../../../../src/phases/4-report/stats/scopes/similar_cases.ts'
import { theseCases } from '../../../../src/phases/4-report/stats/scopes/these_cases.ts'
import type { CaseScores } from '../../../../src/phases/4-report/stats/scores/case_scores.ts'
import { usualOptions } from '../../../../src/phases/4-report/stats/statistics_options.ts'
import { moderatedT } from '../../../../src/phases/4-report/stats/tests/moderated_t.ts'
import { differenceOfMeans, pairedT } from '../../../../src/phases/4-report/stats/tests/paired_t.ts'
import calibrated from './fixtures/moderated_t_calibrated.json' with { type: 'json' }
import { alpha, ends, near } from './near.ts'

interface Expected {
  mean: number
  se: number
  df: number
  ci_low: number
  ci_high: number
  p_value: number
}

function agree(found: ReturnType<typeof moderatedT>, wanted: Expected): void {
  near(found?.mean, wanted.mean)
  near(found?.standardError, wanted.se)
  expect((found?.df ?? 0) / wanted.df).toBeCloseTo(1, 6)
  ends(found, [wanted.ci_low, wanted.ci_high])
  near(found?.pValue, wanted.p_value)
  // small p-values to six digits
  near(Math.log(found?.pValue ?? 0), Math.log(wanted.p_value))
}

describe('reference values', () => {
  test.each(calibrated.designs)('calibrated: $name, $cases.length cases', ({ cases, expect: wanted }) => {
    agree(moderatedT(cases, { alpha: calibrated.alpha }), wanted)
  })
})

const share = fc.integer({ min: 1, max: 8 }).chain((expectations) =>
  fc.record({
    expectations: fc.constant(expectations),
    candidate: fc.array(fc.nat({ max: expectations }), { minLength: 1, maxLength: 6 }),
    baseline: fc.array(fc.nat({ max: expectations }), { minLength: 1, maxLength: 6 }),
  }),
)
const oneCase = share.map(({ expectations, candidate, baseline }): CaseScores => {
  const scores = (counts: readonly number[]) => counts.map((count) => count / expectations)
  return { expectations, candidate: scores(candidate), baseline: scores(baseline) }
})
const someCases = fc.array(oneCase, { minLength: 1, maxLength: 8 })
const passOrFail = someCases.map((cases) =>
  cases.map(({ candidate, baseline }): CaseScores => {
    const [own, other] = [candidate, baseline].map((scores) => scores.map(Math.round))
    return { candidate: own ?? [], baseline: other ?? [], expectations: 1 }
  }),
)
/** All runs of the candidate pass, or all fail. */
const unanimousCandidate = fc
  .tuple(someCases, fc.constantFrom(0, 1))
  .map(([cases, score]) => cases.map((one) => ({ ...one, candidate: one.candidate.map(() => score) })))
const someAlpha = fc.constantFrom(0.01, 0.05, 0.1, 0.3)

function moderated(cases: readonly CaseScores[], size = alpha) {
  const found = moderatedT(cases, { alpha: size })
  if (found === null) throw new Error('no case to compare')
  return found
}

/** Except where p and alpha, or an end and 0, are the same number to rounding. */
function excludesZeroWhereSignificant(found: { low: number; high: number; pValue: number }, size: number): void {
  if (Math.abs(found.pValue / size - 1) < 1e-7) return
  expect(found.low > 0 || found.high < 0).toBe(found.pValue <= size)
}

describe('laws', () => {
  test('the interval excludes 0 exactly where p ≤ alpha, also for an alpha next to p', () => {
    fc.assert(
      fc.property(fc.oneof(someCases, passOrFail), someAlpha, (cases, size) => {
        excludesZeroWhereSignificant(moderated(cases, size), size)
        const { pValue } = moderated(cases, size)
        if (pValue > 0.9 || pValue < 1e-6) return
        for (const next of [pValue * (1 - 1e-5), pValue * (1 + 1e-5)]) {
          excludesZeroWhereSignificant(moderated(cases, next), next)
        }
      }),
      { numRuns: 500 },
    )
  })
  test('so do the paired t and the bound of similar cases', () => {
    const cases = fc.array(oneCase, { minLength: 6, maxLength: 12 })
    const seen = new Set<string>()
    fc.assert(
      fc.property(cases, someAlpha, (some, size) => {
        const found = sampleInterval(some, size)
        if (found === null) return
        seen.add(found.method)
        excludesZeroWhereSignificant(found, size)
      }),
      { numRuns: 300 },
    )
    const common = fc.integer({ min: -10, max: 10 }).map((tenths) => tenths / 10)
    fc.assert(
      fc.property(common, fc.integer({ min: 5, max: 60 }), someAlpha, (difference, n, size) =>
        excludesZeroWhereSignificant(caseBound(difference, n, size), size),
      ),
    )
    expect(seen).toContain('paired_t')
  })
  test('the interval contains the difference and stays within −1 and 1; p is never 0', () => {
    fc.assert(
      fc.property(someCases, someAlpha, (cases, size) => {
        const { low, high, mean, pValue } = moderated(cases, size)
        expect(low).toBeGreaterThanOrEqual(-1)
        expect(high).toBeLessThanOrEqual(1)
        expect(low).toBeLessThanOrEqual(mean + 1e-12)
        expect(high).toBeGreaterThanOrEqual(mean - 1e-12)
        expect(high - low).toBeGreaterThan(1e-3)
        expect(pValue).toBeGreaterThan(0)
        expect(pValue).toBeLessThanOrEqual(1)
      }),
    )
  })
  test('p stays above 0 in the report where 20 cases of 10 runs all agree', () => {
    const all = (value: number) => Array<number>(10).fill(value)
    const cases = Array.from({ length: 20 }, () => ({ candidate: all(1), baseline: all(0), expectations: 8 }))
    const { difference } = theseCases(cases, usualOptions)
    expect(difference.p_value).toBeGreaterThan(0)
    expect(difference.p_value).toBeLessThan(1e-30)
  })
  test('similar cases are never more certain than these cases', () => {
    const several = fc.array(oneCase, { minLength: 6, maxLength: 14 })
    const one = several.map((cases) =>
      cases.map((each) => ({ ...each, candidate: each.candidate.slice(0, 1), baseline: each.baseline.slice(0, 1) })),
    )
    let narrowed = 0
    fc.assert(
      fc.property(fc.oneof(several, one), (cases) => {
        const [own, similar] = [theseCases(cases, usualOptions), casesLikeThese(cases, usualOptions)].map(
          ({ difference }) => difference,
        )
        if (similar?.p_value == null || own?.p_value == null) return
        expect(similar.p_value).toBeGreaterThanOrEqual(own.p_value)
        expect(similar.ci_low).toBeLessThanOrEqual(own.ci_low ?? 1)
        expect(similar.ci_high).toBeGreaterThanOrEqual(own.ci_high ?? -1)
        const alone = pairedT(cases.map(differenceOfMeans), alpha)
        if (alone !== null && alone.low > (own.ci_low ?? 1) + 1e-6) narrowed += 1
      }),
      { numRuns: 5000 },
    )
    // the paired t alone would be narrower now and then
    expect(narrowed).toBeGreaterThan(5)
  })
  test('one run per case: where the cases show how much runs vary, they decide', () => {
    const rise = [0.25, 0.5, 0.25, 0.375, 0.5, 0.25, 0.375, 0.25]
    const cases = rise.map((one) => ({ candidate: [0.5 + one], baseline: [0.5], expectations: 8 }))
    expect(theseCases(cases, usualOptions).verdict).toBe('helps')
    // five that differ don't
    const five = cases.map((one, at) => (at < 5 ? one : { ...one, candidate: [0.5] }))
    expect(theseCases(five, usualOptions).verdict).toBe('inconclusive')
  })
  test('swapped configurations turn the signs, and helps into hurts', () => {
    const turned = { helps: 'hurts', hurts: 'helps' } as Record<string, string>
    const seen = new Set<string>()
    fc.assert(
      fc.property(fc.oneof(someCases, unanimousCandidate), (cases) => {
        const swapped = cases.map((one) => ({ ...one, candidate: one.baseline, baseline: one.candidate }))
        const [one, other] = [moderated(cases), moderated(swapped)]
        near(other.mean, -one.mean)
        ends(other, [-one.high, -one.low])
        near(other.pValue, one.pValue)
        const [verdict, opposite] = [cases, swapped].map((some) => theseCases(some, usualOptions).verdict)
        expect(opposite).toBe(turned[verdict ?? ''] ?? verdict)
        seen.add(verdict ?? '')
      }),
      { numRuns: 200 },
    )
    expect([...seen]).toEqual(expect.arrayContaining(['helps', 'hurts', 'inconclusive']))
  })
  test('a further case with the same constant score in both configurations pulls the mean to 0', () => {
    fc.assert(
      fc.property(someCases, fc.integer({ min: 1, max: 6 }), fc.constantFrom(0, 0.5, 1), (cases, runs, score) => {
        const constant = { candidate: Array(runs).fill(score), baseline: Array(runs).fill(score), expectations: 2 }
        const [before, after] = [moderated(cases), moderated([...cases, constant])]
        near(after.mean, (before.mean * cases.length) / (cases.length + 1))
      }),
    )
  })
  test('a case graded in one configuration only changes nothing; none in both gives no interval', () => {
    fc.assert(
      fc.property(someCases, (cases) => {
        expect(moderated([...cases, { candidate: [1], baseline: [] }])).toEqual(moderated(cases))
      }),
    )
    expect(moderatedT([{ candidate: [1], baseline: [] }], { alpha })).toBeNull()
  })
})

describe('the smallest designs that can be significant', () => {
  const unanimous = (cases: number, runs: number) =>
    Array.from({ length: cases }, () => ({
      candidate: Array<number>(runs).fill(1),
      baseline: Array<number>(runs).fill(0),
      expectations: 5,
    }))
  test.each([
    [1, 3, 4],
    [2, 2, 3],
    [1, 1, 4],
  ])('%i × %i gives an interval, never a verdict: it needs %i runs', (cases, runs, fewest) => {
    const found = theseCases(unanimous(cases, runs), usualOptions)
    expect(isTooSmall(unanimous(cases, runs), alpha)).toBe(true)
    expect(fewestRuns(cases, alpha)).toBe(fewest)
    expect(found.difference).toMatchObject({ mean: 1, ci_high: 1, ci_low: expect.any(Number) })
    expect(found.verdict).toBe('inconclusive')
    expect(found.rule).toContain(`at least ${fewest} runs per case and configuration`)
  })
  test.each([
    [1, 4],
    [2, 3],
    [3, 2],
    [6, 1],
  ])('%i × %i can help and hurt', (cases, runs) => {
    const suite = unanimous(cases, runs)
    expect(isTooSmall(suite, alpha)).toBe(false)
    expect(fewestRuns(cases, alpha)).toBe(runs)
    expect(theseCases(suite, usualOptions).verdict).toBe('helps')
    const swapped = suite.map(({ candidate, baseline }) => ({ candidate: baseline, baseline: candidate }))
    expect(theseCases(swapped, usualOptions).verdict).toBe('hurts')
  })
  test('uneven runs: what counts is how many ways there are to assign them', () => {
    expect(isTooSmall([{ candidate: [1, 1, 1, 1, 1], baseline: [0, 0] }], alpha)).toBe(true) // 2 of 21
    expect(isTooSmall([{ candidate: [1, 1, 1, 1, 1, 1, 1], baseline: [0, 0] }], alpha)).toBe(true) // 2 of 36
    expect(isTooSmall([{ candidate: [1, 1, 1, 1, 1, 1, 1, 1], baseline: [0, 0] }], alpha)).toBe(false) // 2 of 45
  })
})
