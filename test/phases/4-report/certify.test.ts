/** The certification of an improve session: what wins, what loses, what is a tie, and what its sentence says. One thing changes at a time. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type CertificationRequest,
  certificationPower,
  certify,
  sessionAlpha,
} from '../../../src/phases/4-report/acceptance/certify.ts'
import type { PairedCase } from '../../../src/phases/4-report/acceptance/compare_held_out.ts'
import { usualMargins } from '../../../src/phases/4-report/acceptance/guards.ts'
import { moderatedT } from '../../../src/phases/4-report/stats/tests/moderated_t.ts'

type Scores = readonly [candidate: string, v0: string]

/** Runs as digits: 1 passed, 0 failed. Each takes 10 s, 10 dollars and 10 tokens. */
function compare(cases: readonly Scores[], more: Partial<PairedCase> = {}): PairedCase[] {
  return cases.map(([one, other], at) => {
    const [candidate, baseline] = [[...one].map(Number), [...other].map(Number)]
    const same = { candidate: candidate.map(() => 10), baseline: baseline.map(() => 10) }
    const passed = { candidate: candidate.map(Boolean), baseline: baseline.map(Boolean) }
    return { evalId: at + 1, candidate, baseline, passed, seconds: same, usd: same, tokens: same, ...more }
  })
}

const times = (count: number, scores: Scores) => Array.from({ length: count }, () => scores)
const certified = (cases: PairedCase[], changes: Partial<CertificationRequest> = {}) =>
  certify({
    ...{ benchmark: 'benchmark-9', best: 'v2', cases, goal: 'better', margins: usualMargins },
    judge: { kind: 'code', name: null },
    ...changes,
  })

/** Won, by all rules. */
const better = times(8, ['1111', '0001'])

/** The reason of a win. */
const isShown = /^statistically significant, and no guard failed$/

test('what 100 runs on held-out cases can show, by hand', () => {
  // the standard error is √(4 · 1/6 / 100) = 0.081650; z.95 + z.8 = 2.486475; the power at a gain of .2 is Φ(2.449490 − 1.644854)
  expect(certificationPower(100)).toMatchObject({ detectable: 0.20302, power: [{}, { gain: 0.2, power: 0.7895 }, {}] })
})

describe('goal better', () => {
  test.each<[string, Scores[], string, RegExp]>([
    ['better on every case', better, 'won', isShown],
    [
      'better on half of them, the same on the others',
      [...times(4, ['1111', '0000']), ...times(4, ['1111', '1111'])],
      'won',
      isShown,
    ],
    [
      'two of many cases better, none worse',
      [...times(2, ['1111111111', '0000000000']), ...times(8, ['1111111111', '1111111111'])],
      'won',
      isShown,
    ],
    ['the same', times(8, ['1010', '0101']), 'tie', /^not statistically significant at 0\.05$/],
    ['a little better', [['1111', '0111'], ...times(7, ['1010', '0101'])], 'tie', /not statistically significant/],
    ['worse', times(8, ['0001', '1111']), 'lost', /^the pass rate fell, p < 0\.001 \(one-sided\)$/],
    [
      'better, but a case certainly pays for it',
      [...times(7, ['1111', '0001']), ['0000', '1111']],
      'lost',
      /^1 case got significantly worse: 8 \(4 of 4 → 0 of 4\)/,
    ],
    [
      'two better, a third a little worse',
      [...times(2, ['1111111111', '0000000000']), ['1111111110', '1111111111']],
      'tie',
      /^some cases got better and others worse \(over cases p = 0\.11\)/,
    ],
    ['one case a little worse, but many better', [...times(7, ['1111', '0001']), ['0111', '1111']], 'won', isShown],
  ])('%s', (_, scores, result, reason) => {
    expect(certified(compare(scores))).toMatchObject({ result, reason: expect.stringMatching(reason) })
  })

  test('no pair of runs was graded', () => {
    const none = certified(compare([['1111', '']]))
    expect(none).toMatchObject({ result: 'tie', p_value: null, p_over_cases: null, gain: { n_cases: 0, mean: 0 } })
    expect(none.sentence).toBe('Not shown to be better: no pair of runs was graded.')
  })

  test('a case that only the version ran does not count', () => {
    const more = [...compare(better), ...compare([['1111', '']]).map((one) => ({ ...one, evalId: 99 }))]
    expect(certified(more)).toEqual(certified(compare(better)))
  })

  test('the numbers behind it are in the result', () => {
    expect(certified(compare(better))).toMatchObject({
      ...{ benchmark: 'benchmark-9', best: 'v2', goal: 'better', alpha: sessionAlpha, scope: 'cases_like_these' },
      ...{ v0: { mean: 0.25 }, candidate: { mean: 1 }, gain: { mean: 0.75, n_cases: 8, n_runs: 64 } },
      ...{ judge: { kind: 'code', name: null }, p_over_cases: null },
    })
  })
})

test('the p-value is half of that of the moderated t for a gain, and the rest for a loss', () => {
  const p = (scores: Scores[]) => certified(compare(scores)).p_value ?? Number.NaN
  const twoSided = (scores: Scores[]) => moderatedT(compare(scores), { alpha: 0.05 })?.pValue ?? Number.NaN
  const gain: Scores[] = [...times(4, ['1101', '0101']), ...times(2, ['0101', '0101'])]
  const loss = gain.map(([one, other]): Scores => [other, one])
  expect(p(gain)).toBeCloseTo(twoSided(gain) / 2, 5)
  expect(p(loss)).toBeCloseTo(1 - twoSided(loss) / 2, 5)
  expect(p(gain) + p(loss)).toBeCloseTo(1, 5)
})

describe('guards of a version that would win', () => {
  const pair = (candidate: (number | null)[], baseline: (number | null)[]) => ({ candidate, baseline })
  const ten = [10, 10, 10, 10]
  test.each<[string, Partial<PairedCase>, string, RegExp]>([
    ['the same cost and time', {}, 'won', isShown],
    ['twice the cost', { usd: pair([20, 20, 20, 20], ten) }, 'lost', /^cost × 2\.00, at most × 2\.00: above × 1\.25/],
    ['twice the time', { seconds: pair([20, 20, 20, 20], ten) }, 'lost', /^time × 2\.00/],
    ['twice the tokens, which only goal cheaper counts', { tokens: pair([20, 20, 20, 20], ten) }, 'won', isShown],
    [
      'more cost by the estimate, not for certain',
      { usd: pair([5, 30, 5, 30], [5, 21, 5, 21]) },
      'tie',
      /^cost × 1\.35, at most × \d\.\d\d: above × 1\.25/,
    ],
    ['more cost within the margin, by the estimate', { usd: pair([5, 30, 5, 30], [5, 27, 5, 27]) }, 'won', isShown],
    ['unknown cost', { usd: pair([null, null, null, null], [null, null, null, null]) }, 'won', isShown],
    ['unknown cost of one version', { usd: pair(ten, [null, null, null, null]) }, 'won', isShown],
    ['twice of next to nothing', { usd: pair([2e-4, 2e-4, 2e-4, 2e-4], [1e-4, 1e-4, 1e-4, 1e-4]) }, 'won', isShown],
    ['a second more', { seconds: pair([2, 2, 2, 2], [1, 1, 1, 1]) }, 'won', isShown],
  ])('%s: %s', (_, more, result, reason) => {
    expect(certified(compare(better, more))).toMatchObject({ result, reason: expect.stringMatching(reason) })
  })

  test('a wider margin lets a dear version win', () => {
    const cases = compare(better, { usd: pair([20, 20, 20, 20], ten) })
    expect(certified(cases, { margins: { ...usualMargins, cost: 1.5 } }).result).toBe('won')
  })

  test('from single runs nothing is certain: a ratio above the margin is a tie, and has no upper bound', () => {
    const dear = { usd: pair([20], [10]), seconds: pair([10], [10]), tokens: pair([10], [10]) }
    const { result, guards } = certified(compare(times(12, ['1', '0']), dear))
    expect(result).toBe('tie')
    expect(guards[0]).toMatchObject({ name: 'cost_usd', passed: false, ratio: 2, ci_high: null })
    expect(guards[0]?.message).toBe('cost × 2.00: above × 1.25')
  })

  test('each guard has its name, its ratio and its limit', () => {
    expect(certified(compare(better)).guards).toMatchObject([
      { name: 'cost_usd', passed: true, ratio: 1, ci_high: 1, limit: 1.25 },
      { name: 'time_seconds', passed: true, ratio: 1, limit: 1.25 },
      { name: 'cases', passed: true, ratio: null, ci_high: null, limit: null },
    ])
  })
})

describe('goal cheaper', () => {
  const long = (pattern: string) => pattern.repeat(40)
  const fewer = { tokens: { candidate: [8, 9, 8, 7], baseline: [10, 12, 10, 11] } }
  const spread = (amounts: number[]) => Array.from({ length: 160 }, (_, at) => amounts[at % amounts.length] ?? 0)
  const saving = { tokens: { candidate: spread([8, 9, 8, 7]), baseline: spread([10, 12, 10, 11]) } }
  const none = { tokens: { candidate: spread([]).map(() => null), baseline: spread([]).map(() => null) } }
  const same = times(8, [long('1110'), long('1110')])
  const cheaper = (scores: Scores[], more: Partial<PairedCase>) => certified(compare(scores, more), { goal: 'cheaper' })

  test.each<[string, Scores[], Partial<PairedCase>, string, RegExp]>([
    ['the same rate for fewer tokens', same, saving, 'won', /^tokens × 0\.74, at most × 0\.7\d: within × 1/],
    ['the same rate for the same tokens', same, {}, 'tie', /^tokens × 1\.00, at most × 1\.00: not shown/],
    [
      'the same rate for fewer tokens, not for certain',
      same,
      { tokens: { candidate: spread([1, 41]), baseline: spread([1, 42]) } },
      'tie',
      /^tokens × 0\.98, at most × 1\.\d\d: not shown/,
    ],
    ['the same rate, tokens unknown', same, none, 'tie', /^tokens: unknown for at least one version/],
    [
      'the same rate, in runs too few to exclude a loss',
      times(8, ['1110', '1110']),
      fewer,
      'tie',
      /^a difference of -\d+ points is not ruled out \(at most a loss of 10 may be\)$/,
    ],
    ['a loss of the margin', times(8, [long('01110'), long('11110')]), {}, 'lost', /^8 cases got significantly worse/],
    [
      'fewer tokens in single runs',
      times(600, ['1', '1']),
      {
        tokens: { candidate: [8], baseline: [10] },
        seconds: { candidate: [1], baseline: [1] },
        usd: { candidate: [1], baseline: [1] },
      },
      'tie',
      /each held-out case needs two runs of both versions/,
    ],
    [
      'a better rate for more tokens',
      times(8, [long('1111'), long('1110')]),
      { tokens: { candidate: saving.tokens.baseline, baseline: saving.tokens.candidate } },
      'lost',
      /^tokens × 1\.3/,
    ],
  ])('%s', (_, scores, more, result, reason) => {
    expect(cheaper(scores, more)).toMatchObject({ result, reason: expect.stringMatching(reason) })
  })

  test('a wider margin accepts what fewer runs exclude', () => {
    const cases = compare(times(8, ['1110', '1110']), fewer)
    const result = (loss: number) => certified(cases, { goal: 'cheaper', margins: { ...usualMargins, loss } }).result
    expect([0.1, 0.3].map(result)).toEqual(['tie', 'won'])
  })

  test('a run without tokens is not a repetition', () => {
    const once = { tokens: { candidate: [8, null, null, null], baseline: [10, 10, 10, 10] } }
    const found = certified(compare(times(8, ['1111', '1111']), once), { goal: 'cheaper' })
    expect(found.guards.find(({ name }) => name === 'tokens')).toMatchObject({ passed: null, ci_high: null })
    expect(found.result).toBe('tie')
  })

  test('a certain loss wins within the margin only', () => {
    expect(usualMargins.loss).toBe(0.1)
    const loss = (lost: number) => {
      const scores: Scores = ['0'.repeat(lost) + '1'.repeat(400 - lost), '1'.repeat(400)]
      const sides = { candidate: Array(400).fill(8), baseline: Array(400).fill(10) }
      return cheaper(times(8, scores), { tokens: sides }).result
    }
    expect([0, 2, 40].map(loss)).toEqual(['won', 'won', 'lost'])
  })
})

describe('the sentence', () => {
  const sentence = (scores: Scores[], changes: Partial<CertificationRequest> = {}) =>
    certified(compare(scores), changes).sentence
  test('says the verdict, then the numbers, and why it is not certified', () => {
    expect(sentence(better)).toBe(
      'Better: pass rate 100% with v2, 25% with v0: +75 points, 95% CI [56, 94], one-sided p < 0.001 (8 cases, 64 runs).',
    )
    expect(sentence(times(8, ['1010', '0101']))).toBe(
      'Not shown to be better: pass rate 50% with v2, 50% with v0: +0 points, 95% CI [-30, 30], one-sided p = 0.50 (8 cases, 64 runs); not statistically significant at 0.05.',
    )
    expect(sentence(times(8, ['0001', '1111']))).toMatch(
      /^Worse: pass rate 25% .*: -75 points, 95% CI \[-94, -56\] \(8 cases, 64 runs\); the pass rate fell, p < 0\.001/,
    )
    const many = times(8, ['1110'.repeat(40), '1110'.repeat(40)])
    expect(sentence(many, { goal: 'cheaper' })).toMatch(/^Not shown to be as good and cheaper: pass rate 75% with v2/)
  })
  test('below 8 cases it speaks of these cases alone', () => {
    expect(certified(compare(times(5, ['1111', '0001'])))).toMatchObject({ result: 'won', scope: 'these_cases' })
    expect(sentence(times(5, ['1111', '0001']))).toMatch(/ \(5 cases, 40 runs\)\. This holds for these cases\.$/)
    expect(sentence(better)).not.toMatch(/these cases/)
  })
})

describe('runs without a grade must not make a version look better or worse than it is', () => {
  const missing = {
    by_configuration: { new_skill: { planned: 32, missing: 1 }, old_skill: { planned: 32, missing: 0 } },
    ...{ low: 0.7, high: 0.8 },
  }
  const reason = '1 of 32 runs with v2 and 0 of 32 with v0 has no grade'
  test.each([
    ['better', better, 'won'],
    ['worse', times(8, ['0001', '1111']), 'lost'],
  ] as const)('%s: neither certified nor refused for certain', (_, scores, result) => {
    expect(certified(compare(scores), { missing })).toMatchObject({ result: 'tie', reason })
    expect(certified(compare(scores)).result).toBe(result) // control: all are graded
  })
})

const anyCases = fc.array(
  fc.record({
    one: fc.array(fc.constantFrom('0', '1'), { minLength: 1, maxLength: 8 }),
    other: fc.array(fc.constantFrom('0', '1'), { minLength: 1, maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 12 },
)
const toScores = (drawn: { one: string[]; other: string[] }[]) =>
  drawn.map(({ one, other }): Scores => [one.join(''), other.join('')])

describe('whatever the runs', () => {
  test('a version that wins does not win with the versions swapped', () => {
    fc.assert(
      fc.property(anyCases, (drawn) => {
        const scores = toScores(drawn)
        const there = certified(compare(scores)).result
        const back = certified(compare(scores.map(([one, other]) => [other, one]))).result
        if (there === 'won') expect(back).not.toBe('won')
        if (there === 'won') expect(certified(compare(scores)).gain.mean).toBeGreaterThan(0)
      }),
    )
  })
  test('a version that is the same as v0 does not win, whatever it costs', () => {
    fc.assert(
      fc.property(anyCases, fc.boolean(), (drawn, isDear) => {
        const scores = drawn.map(({ one }): Scores => [one.join(''), one.join('')])
        const cases = compare(scores).map((each) => {
          const usd = { candidate: each.candidate.map(() => (isDear ? 30 : 3)), baseline: each.baseline.map(() => 10) }
          return { ...each, usd }
        })
        expect(certified(cases).result).not.toBe('won')
      }),
    )
  })
  test('the order of the cases does not matter', () => {
    fc.assert(
      fc.property(anyCases, (drawn) => {
        const cases = compare(toScores(drawn))
        const { result, p_value } = certified(cases)
        expect(certified(cases.toReversed())).toMatchObject({ result })
        expect(certified(cases.toReversed()).p_value).toBeCloseTo(p_value ?? Number.NaN, 5)
      }),
    )
  })
  test('what wins has p ≤ alpha, and over the cases too if a case got worse', () => {
    fc.assert(
      fc.property(anyCases, (drawn) => {
        const { result, p_value, p_over_cases, cases } = certified(compare(toScores(drawn)))
        if (result !== 'won') return
        expect(p_value).toBeLessThanOrEqual(sessionAlpha)
        if (cases.some(({ v0, candidate }) => candidate < v0)) expect(p_over_cases).toBeLessThanOrEqual(sessionAlpha)
      }),
    )
  })
})
