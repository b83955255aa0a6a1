/** Each method of the statistics against the reference values, and at its edges. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { caseBound } from '../../../../src/phases/4-report/stats/case_bound.ts'
import type { CaseScores } from '../../../../src/phases/4-report/stats/case_scores.ts'
import { bettingDifference, bettingInterval } from '../../../../src/phases/4-report/stats/confidence_sequence.ts'
import { countPairs, eValue, look } from '../../../../src/phases/4-report/stats/e_value.ts'
import { isFineBetween, verdictsOf } from '../../../../src/phases/4-report/stats/grain.ts'
import { holm } from '../../../../src/phases/4-report/stats/holm.ts'
import { correctForJudge } from '../../../../src/phases/4-report/stats/judge_error.ts'
import { sampleInterval } from '../../../../src/phases/4-report/stats/like_these.ts'
import { disagreement, meanOverCases, passAtK, passHatK } from '../../../../src/phases/4-report/stats/pass_k.ts'
import { permuteWithinCases } from '../../../../src/phases/4-report/stats/permutation.ts'
import { casesNeeded, minimumDetectable, runsNeeded, usualSpread } from '../../../../src/phases/4-report/stats/power.ts'
import { ratioOf } from '../../../../src/phases/4-report/stats/ratio.ts'
import { withinInterval } from '../../../../src/phases/4-report/stats/within.ts'
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
  test('runs needed see what was asked, and are null where no number of runs would do', () => {
    const fixed = { ...design, between: 0, cases: 4, detect: 0.2 }
    near(minimumDetectable({ ...fixed, runs: runsNeeded(fixed) ?? 0 }), 0.2)
    expect(runsNeeded({ ...design, cases: 4, detect: 0.2 })).toBeNull()
  })
})

describe('multiplicity and judges', () => {
  test('Holm', () => {
    for (const [at, value] of holm(reference.multiplicity.p).entries()) near(value, reference.multiplicity.holm[at])
    expect(holm([])).toEqual([])
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

describe('evidence at every look', () => {
  test.each(reference.mcnemar)('$b won, $c lost', (row) => {
    near(eValue(row.b, row.c, 2), row['e_two_sided_Beta(.5,.5)'])
    near(eValue(row.b, row.c, 1), row['e_one_sided_U(.5,1)'])
  })
  test('decided at 1/α, to either side', () => {
    expect(look({ wins: 8, losses: 0, remaining: 10, alpha })).toMatchObject({ status: 'decided', direction: 'helps' })
    expect(look({ wins: 0, losses: 8, remaining: 0, alpha })).toMatchObject({ status: 'decided', direction: 'hurts' })
  })
  test('futile only when no outcome of the rest could decide', () => {
    expect(look({ wins: 2, losses: 2, remaining: 8, alpha }).status).toBe('futile')
    expect(look({ wins: 2, losses: 2, remaining: 14, alpha }).status).toBe('open')
  })
  test('ties count for neither', () => {
    const pairs = [
      { candidate: 1, baseline: 0.5 },
      { candidate: 0.5, baseline: 0.5 },
      { candidate: 0, baseline: 0.25 },
    ]
    expect(countPairs(pairs)).toEqual({ wins: 1, losses: 1 })
  })
  const { 'lower@10,20,50': lower, 'upper@10,20,50': upper, tolerance } = reference.cs_betting_hedged_confseq
  test.each([10, 20, 50].map((n, at) => [n, lower[at] ?? 0, upper[at] ?? 0]))(
    'betting after %i: %d to %d',
    (n, low, high) => {
      const x = Array.from({ length: n }, (_, at) => [1, 1, 0, 1, 1, 1, 0, 1, 1, 1][at % 10] ?? 0)
      const found = bettingInterval(x, alpha)
      expect(Math.abs(found.low - low)).toBeLessThan(tolerance)
      expect(Math.abs(found.high - high)).toBeLessThan(tolerance)
    },
  )
  test('differences lie between −1 and 1', () => {
    expect(bettingDifference([], alpha)).toEqual({ low: -1, high: 1 })
    expect(bettingDifference([1, 1, 1, 1, 1, 1, 1, 1], alpha)).toMatchObject({ high: 1 })
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
    expect(permuteWithinCases([scores([1, 1, 1], [0, 0, 0])], 1)).toEqual({ pValue: 0.1, above: 0.05, method: 'exact' })
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
  test('very many by the normal distribution, near the exact value', () => {
    const many = (shift: number) =>
      Array.from({ length: 120 }, (_, at) => {
        const rate = (at % 10) / 10
        return scores([rate + shift, 1, at % 3 === 0 ? 1 : 0], [rate, at % 7 === 0 ? 0 : 1, at % 2])
      })
    const [exact, normal] = [permuteWithinCases(twice(many(0)), 1), permuteWithinCases(twice(many(Math.PI / 1e6)), 1)]
    expect([exact.method, normal.method]).toEqual(['exact', 'normal'])
    expect(Math.abs(exact.pValue - normal.pValue)).toBeLessThan(0.02)
  })
  test('nothing to compare: p 1', () => {
    expect(permuteWithinCases([scores([1], [])], 1).pValue).toBe(1)
    expect(permuteWithinCases([scores([1, 1], [1, 1])], 1).pValue).toBe(1)
  })
})

describe('the interval on these cases', () => {
  test('t on the variance within cases', () => {
    const two = [scores([1, 0, 1, 1], [0, 0, 1, 0]), scores([1, 0, 0, 1], [0, 1, 0, 0])]
    const found = withinInterval([...two, ...two, ...two, ...two], alpha)
    expect(found).toMatchObject({ method: 'within_case_t', varying: 16 })
    near(found?.mean, 0.375)
    // 4 · (.25 + .25 + 1/3 + .25) / 4 runs / 8² cases, 48 degrees of freedom
    near(found?.standardError, Math.sqrt((4 * (0.75 + 1 / 3)) / 256))
    near(found?.high, 0.375 + 2.0106347576242314 * Math.sqrt((4 * (0.75 + 1 / 3)) / 256))
    // 8 verdicts an arm are too few: the spread is known, and the interval a bound
    const few = withinInterval(two, alpha)
    expect(few).toMatchObject({ method: 'wilson_newcombe', varying: 4 })
    near(few?.standardError, Math.sqrt((0.75 + 1 / 3) / 16))
  })
  test('where little varies, a bound from Wilson', () => {
    const found = withinInterval([scores(Array(10).fill(1), Array(10).fill(1))], alpha)
    expect(found).toMatchObject({ mean: 0, method: 'wilson_newcombe', varying: 0 })
    near(found?.low, -(1 - 0.7224672001371107))
    near(found?.high, 1 - 0.7224672001371107)
  })
  test('one run a cell has only the bound', () => {
    const one = withinInterval([scores([1], [0]), scores([1], [0.5]), scores([0.5], [1]), scores([0], [0])], alpha)
    expect(one?.method).toBe('wilson_newcombe')
  })
  test('never without width, always holds the difference', () => {
    const cell = fc.array(fc.constantFrom(0, 0.25, 0.5, 1), { minLength: 1, maxLength: 5 })
    const some = fc.array(fc.record({ candidate: cell, baseline: cell }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(some, (cases) => {
        const found = withinInterval(cases, alpha)
        if (found === null) throw new Error('no interval')
        expect(found.high - found.low).toBeGreaterThan(1e-3)
        expect(found.low).toBeLessThanOrEqual(found.mean + 1e-9)
        expect(found.high).toBeGreaterThanOrEqual(found.mean - 1e-9)
      }),
    )
  })
  test('nothing comparable', () => expect(withinInterval([scores([], [1])], alpha)).toBeNull())
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
  ])('%s', (_, cases, verdicts) => near(verdictsOf(cases), verdicts))
  test.each([
    [5, 11, false],
    [5, 12, true],
    [6, 12, true],
    [8, 3, false],
    [8, 4, true],
    [9, 3, true],
    [50, 1, true],
  ])('%i cases of %i verdicts: an interval for cases like these %s', (cases, runs, isFine) => {
    const all = Array.from({ length: cases }, (_, at) =>
      scores(Array(runs).fill(1), [at % 2, ...Array(runs - 1).fill(0)]),
    )
    const differing = all.filter((_, at) => at % 2 === 0 || runs > 1)
    const offered = sampleInterval(all, alpha)
    expect(isFineBetween(all)).toBe(isFine)
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
})

describe('ratios', () => {
  test('log scale: turned arms give the inverse', () => {
    const cases = [scores([20, 24], [10, 11]), scores([30, 28], [16, 14])]
    const turned = cases.map(({ candidate, baseline }) => scores(baseline, candidate))
    const [one, other] = [ratioOf(cases, alpha), ratioOf(turned, alpha)]
    near(one?.ratio, 2)
    near((one?.low ?? 0) * (other?.high ?? 0), 1)
    expect(one?.low).toBeLessThan(2)
    expect(one?.high).toBeGreaterThan(2)
  })
  test('by hand', () => {
    const found = ratioOf([scores([20, 24], [10, 12])], alpha)
    const error = Math.sqrt(8 / 2 / 22 ** 2 + 2 / 2 / 11 ** 2)
    near(found?.high, 2 * Math.exp(4.302652729749462 * error))
  })
  test('no interval where a cell has one run or nothing varies, no ratio to nothing', () => {
    expect(ratioOf([scores([20], [10])], alpha)).toMatchObject({ ratio: 2, low: null })
    expect(ratioOf([scores([20, 20], [10, 10])], alpha)).toMatchObject({ ratio: 2, high: null })
    expect(ratioOf([scores([20, 20], [0, 0])], alpha)).toBeNull()
  })
})
