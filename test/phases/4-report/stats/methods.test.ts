/** Each method of the statistics against the reference values, and at its edges. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { correctForJudge } from '../../../../src/features/audit/reliability.ts'
import {
  disagreement,
  meanOverCases,
  passAtK,
  passHatK,
} from '../../../../src/phases/4-report/stats/build_statistics.ts'
import { casesNeeded, minimumDetectable, usualSpread } from '../../../../src/phases/4-report/stats/power/power.ts'
import { computeRatio } from '../../../../src/phases/4-report/stats/scopes/ratio.ts'
import { caseBound, sampleInterval } from '../../../../src/phases/4-report/stats/scopes/similar_cases.ts'
import type { CaseScores } from '../../../../src/phases/4-report/stats/scores/case_scores.ts'
import { benjaminiHochberg, holm } from '../../../../src/phases/4-report/stats/tests/adjusted_p_values.ts'
import { countVerdicts } from '../../../../src/phases/4-report/stats/tests/paired_t.ts'
import { permuteWithinCases } from '../../../../src/phases/4-report/stats/tests/permutation.ts'
import { alpha, ends, near } from './near.ts'
import reference from './reference.json' with { type: 'json' }

describe('pass@k and pass^k', () => {
  test.each(reference.pass)('n $n, c $c, k $k', ({ n, c, k, pass_at_k, pass_hat_k }) => {
    near(passAtK(n, c, k), pass_at_k)
    near(passHatK(n, c, k), pass_hat_k)
  })
  test('undefined, not 1, with fewer runs than k', () =>
    expect([passAtK(2, 2, 3), passHatK(2, 2, 3)]).toEqual([null, null]))
  test('over cases: absent where one case has fewer runs', () => {
    const cases = [
      { runs: 3, passed: 2 },
      { runs: 2, passed: 2 },
    ]
    expect(meanOverCases(cases, passHatK)).toEqual({ '1': (2 / 3 + 1) / 2, '2': (1 / 3 + 1) / 2 })
    expect(meanOverCases([], passHatK)).toEqual({})
  })
  test.each([
    [3, 0, 0],
    [3, 1, 2 / 3],
    [10, 5, 5 / 9],
    [1, 1, 0],
  ])('%i runs, %i passed: two differ with chance %d', (n, c, chance) => near(disagreement(n, c), chance))
})

describe('power', () => {
  const { power } = reference
  const design = { ...usualSpread, alpha, power: 0.8, runs: 3 }
  test.each([
    [20, 3, power['mde n=20 w2=1/9 s=1/6 K=3']],
    [10, 3, power['mde n=10 K=3']],
    [10, 10, power['mde n=10 K=10']],
    [50, 3, power['mde n=50 K=3']],
  ])('%i cases × %i see %d', (cases, runs, seen) => near(minimumDetectable({ ...design, cases, runs }), seen))
  test('cases needed', () => {
    near(casesNeeded({ ...design, runs: 1, detect: 0.03 }), power['n delta=.03 w2=1/9 sA=sB=1/6 K=1'])
    near(casesNeeded({ ...design, runs: 10, detect: 0.03 }), power['n ... K=10'])
    const still = { ...design, candidate: 0, baseline: 0, detect: 0.03 }
    near(casesNeeded(still), power['n delta=.03 w2=1/9 s2=0'])
  })
  test('with few degrees of freedom the t quantiles count', () => {
    const at = (df?: number) => minimumDetectable({ ...design, cases: 6, ...(df !== undefined && { df }) })
    near(at(5) / at(), (2.5705818366147395 + 0.9195437802) / (1.959963984540054 + 0.8416212335729143))
    near(at(2e4), at())
  })
})

describe('multiplicity and judges', () => {
  test('Holm', () => {
    for (const [at, value] of holm(reference.multiplicity.p).entries()) near(value, reference.multiplicity.holm[at])
    expect(holm([])).toEqual([])
  })
  test('Benjamini and Hochberg', () => {
    for (const [at, value] of benjaminiHochberg(reference.multiplicity.p).entries()) {
      near(value, reference.multiplicity.bh[at])
    }
    expect(benjaminiHochberg([])).toEqual([])
    expect(benjaminiHochberg([0.9, 1])).toEqual([1, 1])
  })
  test('Benjamini and Hochberg: never smaller than before, at most 1, in the order of the values', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }), (values) => {
        const adjusted = benjaminiHochberg(values)
        for (const [at, value] of values.entries()) {
          expect(adjusted[at]).toBeGreaterThanOrEqual(value * (1 - 1e-12)) // up to rounding
          expect(adjusted[at]).toBeLessThanOrEqual(1)
          for (const [other, more] of values.entries()) {
            if (value <= more) expect(adjusted[at]).toBeLessThanOrEqual(adjusted[other] ?? 0)
          }
        }
      }),
    )
  })
  test.each(reference.judge_rogan_gladen)('judge error, rate $p', ({ p, q0_spec, q1_sens, n, m0, m1, theta, ci95 }) => {
    const judge = { specificity: q0_spec, sensitivity: q1_sens, negatives: m0, positives: m1 }
    const found = correctForJudge({ rate: p, n, alpha }, judge)
    near(found?.rate, theta)
    ends(found, ci95)
  })
  test('a judge that guesses corrects nothing', () => {
    const judge = { specificity: 0.4, sensitivity: 0.6, negatives: 50, positives: 50 }
    expect(correctForJudge({ rate: 0.5, n: 10, alpha }, judge)).toBeNull()
  })
})

const scores = (candidate: readonly number[], baseline: readonly number[]): CaseScores => ({ candidate, baseline })

/** All relabellings, one by one: slow and plain, to hold the counting against. */
function brute(cases: readonly CaseScores[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
  let sums = [0]
  for (const { candidate, baseline } of cases) {
    const all = [...candidate, ...baseline]
    const options: number[] = []
    for (let mask = 0; mask < 2 ** all.length; mask += 1) {
      const own = all.filter((_, at) => mask & (1 << at))
      const other = all.filter((_, at) => !(mask & (1 << at)))
      if (own.length === candidate.length) options.push(mean(own) - mean(other))
    }
    sums = sums.flatMap((sum) => options.map((option) => sum + option))
  }
  const observed = Math.abs(cases.reduce((sum, one) => sum + mean(one.candidate) - mean(one.baseline), 0))
  return sums.filter((sum) => Math.abs(sum) >= observed - 1e-9).length / sums.length
}

const twice = <T>(values: readonly T[]) => [...values, ...values]

describe('permutation within cases', () => {
  test('one case of 3 against 3 that all differ: 2 of 20', () => {
    expect(permuteWithinCases([scores([1, 1, 1], [0, 0, 0])], 1)).toEqual({ pValue: 0.1, method: 'exact' })
  })
  test('exact agrees with all relabellings, runs missing or not', () => {
    const share = fc.constantFrom(0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 1)
    const cell = fc.array(share, { minLength: 1, maxLength: 3 })
    const some = fc.array(fc.record({ candidate: cell, baseline: cell }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(some, (cases) => {
        const found = permuteWithinCases(cases, 1)
        expect(found.method).toBe('exact')
        near(found.pValue, brute(cases))
      }),
    )
  })
  test('scores without a lattice are drawn, near the exact value', () => {
    const cases = [scores([0.9, 0.7, 0.85], [0.4, 0.55, 0.6]), scores([0.5, 0.7, 0.2], [0.45, 0.3, 0.35])]
    const odd = cases.map(({ candidate, baseline }) =>
      scores(
        candidate.map((one) => one + Math.PI * 1e-6),
        baseline,
      ),
    )
    const drawn = permuteWithinCases(odd, 1)
    expect([permuteWithinCases(cases, 1).method, drawn.method]).toEqual(['exact', 'draws'])
    expect(Math.abs(brute(odd) - drawn.pValue)).toBeLessThan(0.02) // 4 standard errors of 10,000 draws
    expect(permuteWithinCases(odd, 1)).toEqual(drawn)
  })
  test('very many by fewer draws, near the exact value', () => {
    const many = (shift: number) =>
      Array.from({ length: 120 }, (_, at) => {
        const rate = (at % 10) / 10
        return scores([rate + shift, 1, at % 3 === 0 ? 1 : 0], [rate, at % 7 === 0 ? 0 : 1, at % 2])
      })
    const [exact, drawn] = [permuteWithinCases(twice(many(0)), 1), permuteWithinCases(twice(many(Math.PI / 1e6)), 1)]
    expect([exact.method, drawn.method]).toEqual(['exact', 'draws'])
    expect(Math.abs(exact.pValue - drawn.pValue)).toBeLessThan(0.02)
  })
  test('one case whose sums take too long to count is drawn', () => {
    // 202 scores × 101 to choose × 10,101 sums are more than 1e8
    const hundredths = Array.from({ length: 101 }, (_, at) => at / 100)
    expect(permuteWithinCases([scores(hundredths, hundredths)], 1).method).toBe('draws')
  })
  test('nothing to compare: p 1', () => {
    expect(permuteWithinCases([scores([1], [])], 1).pValue).toBe(1)
    expect(permuteWithinCases([scores([1, 1], [1, 1])], 1).pValue).toBe(1)
  })
})

describe('how fine the means of the cases are', () => {
  const some = scores([1, 0, 0.5], [0.25, 0, 1])
  test.each<[string, CaseScores[], number]>([
    ['runs × expectations', [{ ...some, expectations: 4 }], 12],
    ['the arm with fewer runs', [{ ...some, baseline: [0.25], expectations: 4 }], 4],
    ['all or nothing: the expectations say the same', [{ ...scores([1, 0, 1], [0, 0, 1]), expectations: 4 }], 3],
    ['not known: the scores that were seen', [some], 3 * 3],
    ['nothing varies', [scores([1, 1], [1, 1])], 2],
    [
      'the harmonic mean: a coarse case counts',
      [
        { ...some, expectations: 4 },
        { ...some, expectations: 1 },
      ],
      24 / 5,
    ],
  ])('%s', (_, cases, verdicts) => near(countVerdicts(cases), verdicts))
  test.each([
    [5, 12, false],
    [6, 12, true],
    [8, 4, true],
    [9, 3, true],
    [50, 1, true],
  ])('%i cases of %i verdicts: an interval for cases like these %s', (cases, runs, isFine) => {
    const all = Array.from({ length: cases }, (_, at) =>
      scores(Array(runs).fill(1), [at % 2, ...Array(runs - 1).fill(0)]),
    )
    const differing = all.filter((_, at) => at % 2 === 0 || runs > 1)
    const offered = sampleInterval(all, alpha)
    if (differing.length === cases) expect(offered?.method ?? null).toBe(isFine ? 'paired_t' : null)
  })
})

describe('cases that all differ by the same', () => {
  test('bound after 10 cases without a difference', () => {
    const q = 1 - 0.05 ** (1 / 11)
    ends(caseBound(0, 10, alpha), [-q, q])
  })
  test('all gain everything', () => {
    const { low, high } = caseBound(1, 10, alpha)
    expect(high).toBe(1)
    near(low, 1 - 2 * (1 - 0.05 ** (1 / 11)))
  })
  test('p is the alpha at which the bound ends at 0', () => {
    near(caseBound(0, 10, alpha).pValue, 1)
    near(caseBound(1, 10, alpha).pValue, 2 ** -11)
    for (const common of [0.1, -0.5, 1]) {
      const { pValue } = caseBound(common, 10, alpha)
      const { low, high } = caseBound(common, 10, pValue)
      near(common > 0 ? low : high, 0)
    }
  })
})

describe('ratios', () => {
  test('log scale: turned arms give the inverse', () => {
    const cases = [scores([20, 24], [10, 11]), scores([30, 28], [16, 14])]
    const turned = cases.map(({ candidate, baseline }) => scores(baseline, candidate))
    const [one, other] = [computeRatio(cases, alpha), computeRatio(turned, alpha)]
    near(one?.ratio, 2)
    near((one?.low ?? 0) * (other?.high ?? 0), 1)
    expect(one?.low).toBeLessThan(2)
    expect(one?.high).toBeGreaterThan(2)
  })
  test('by hand', () => {
    const found = computeRatio([scores([20, 24], [10, 12])], alpha)
    const error = Math.sqrt(8 / 2 / 22 ** 2 + 2 / 2 / 11 ** 2)
    near(found?.high, 2 * Math.exp(4.302652729749462 * error))
  })
  test('no interval where a cell has one run or nothing varies, no ratio to nothing', () => {
    expect(computeRatio([scores([20], [10])], alpha)).toMatchObject({ ratio: 2, low: null })
    expect(computeRatio([scores([20, 20], [10, 10])], alpha)).toMatchObject({ ratio: 2, high: null })
    expect(computeRatio([scores([20, 20], [0, 0])], alpha)).toBeNull()
  })
})
