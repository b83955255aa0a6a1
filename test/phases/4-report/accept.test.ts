/** The gate of the improve loop: what wins, what loses, what is a tie, and what it costs of the session's error. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { GateResult } from '../../../schemas/history/gate.ts'
import type { Iteration, RefusedProposal } from '../../../schemas/history.ts'
import { candidateAlpha, lookAlpha, sessionAlpha } from '../../../src/phases/4-report/acceptance/alpha_spending.ts'
import { type PairedCase, takeFirstBlocks } from '../../../src/phases/4-report/acceptance/compared_case.ts'
import { isLosingToParent, parentRuns, trainVerdict } from '../../../src/phases/4-report/acceptance/early_rejection.ts'
import { findFold } from '../../../src/phases/4-report/acceptance/folds.ts'
import { gatePower } from '../../../src/phases/4-report/acceptance/gate_power.ts'
import { usualMargins } from '../../../src/phases/4-report/acceptance/guards.ts'
import { evaluateCandidateLook } from '../../../src/phases/4-report/acceptance/interim_analysis.ts'
import {
  isPlateau,
  isWorthValidating,
  spentAlpha,
  type TriedVersion,
  traceCourse,
} from '../../../src/phases/4-report/acceptance/session_course.ts'

type Scores = readonly [candidate: string, incumbent: string]

/** Runs as digits: 1 passed, 0 failed. */
function met(cases: readonly Scores[], more: Partial<PairedCase> = {}): PairedCase[] {
  return cases.map(([one, other], at) => {
    const of = (text: string) => [...text].map(Number)
    const same = { candidate: of(one).map(() => 10), baseline: of(other).map(() => 10) }
    const passed = { candidate: of(one).map(Boolean), baseline: of(other).map(Boolean) }
    return { evalId: at + 1, candidate: of(one), baseline: of(other), passed, seconds: same, usd: same, ...more }
  })
}

const times = (count: number, scores: Scores) => Array.from({ length: count }, () => scores)
const look = (cases: PairedCase[], changes: object = {}) =>
  evaluateCandidateLook({
    against: 'v0',
    cases,
    alpha: 0.01,
    blocks: 4,
    planned: 4,
    looks: [],
    margins: usualMargins,
    ...changes,
  })

describe('the gate', () => {
  test.each<[string, Scores[], string, RegExp]>([
    [
      'better on every case',
      times(8, ['1111', '0001']),
      'won',
      /\+75 points, p < 0\.001; threshold for this comparison: p ≤ 0\.005/,
    ],
    [
      'better on half of them, the same on the others',
      [...times(4, ['1111', '0000']), ...times(4, ['1111', '1111'])],
      'won',
      /\+50/,
    ],
    ['the same', times(8, ['1010', '0101']), 'tie', /\+0 points/],
    [
      'a little better',
      [['1111', '0111'], ...times(7, ['1010', '0101'])],
      'tie',
      /above the threshold for this comparison, 0\.\d+/,
    ],
    ['worse', times(8, ['0001', '1111']), 'lost', /worse|−75/],
    [
      'better by what one case pays for',
      [...times(7, ['1111', '0001']), ['0000', '1111']],
      'lost',
      /1 case got significantly worse: 8 \(4 of 4 → 0 of 4\)/,
    ],
    ['better on some, worse on as many', [...times(5, ['111', '000']), ...times(4, ['000', '111'])], 'tie', /.*/],
    [
      'two of many cases better, none worse',
      [...times(2, ['1111111111', '0000000000']), ...times(8, ['1', '1'])],
      'won',
      /\+20/,
    ],
    [
      'two better, a third pays for it',
      [...times(2, ['1111111111', '0000000000']), ['1111111110', '1111111111']],
      'tie',
      /some cases got better and others worse/,
    ],
    ['nothing that can be compared', [], 'tie', /.*/],
  ])('%s', (_, scores, result, reason) => {
    const { verdict } = look(met(scores))
    expect(verdict).toMatchObject({ result, reason: expect.stringMatching(reason) })
  })
  test('the numbers it rests on are told', () => {
    const { verdict } = look(met(times(8, ['1111', '0001'])))
    expect(verdict).toMatchObject({
      ...{ candidate_mean: 1, incumbent_mean: 0.25, difference: 0.75, n_cases: 8, blocks: 4, alpha: 0.01 },
      ...{ scope: 'cases_like_these', p_method: 'permutation_exact', against: 'v0', stage: 'validation' },
    })
    expect(verdict?.guards.map(({ name, passed }) => [name, passed])).toEqual([
      ['cost_usd', true],
      ['time_seconds', true],
      ['cases', true],
    ])
  })
  test('below 8 cases it speaks of these cases alone', () => {
    expect(look(met(times(5, ['1111', '0001']))).verdict).toMatchObject({ result: 'won', scope: 'these_cases' })
  })
  const dear = { candidate: [20, 20, 20, 20], baseline: [10, 10, 10, 10] }
  const unsure = { candidate: [5, 30, 5, 30], baseline: [5, 22, 5, 22] }
  test.each([
    ['twice the cost', { usd: dear }, 'lost', /cost × 2\.00/],
    ['twice the time', { seconds: dear }, 'lost', /time × 2\.00/],
    [
      'a cost not shown to stay within the margin',
      { usd: unsure },
      'tie',
      /cost × 1\.\d+, at most × 1\.\d+: not shown/,
    ],
    [
      'a cost that nobody knows',
      { usd: { candidate: [null, null, null, null], baseline: [null, null, null, null] } },
      'won',
      /\+75/,
    ],
    [
      'twice of next to nothing',
      { usd: { candidate: [0.0002, 0.0002, 0.0002, 0.0002], baseline: [0.0001, 0.0001, 0.0001, 0.0001] } },
      'won',
      /\+75/,
    ],
  ])('a gain at %s', (_, more, result, reason) => {
    const { verdict } = look(met(times(8, ['1111', '0001']), more))
    expect(verdict).toMatchObject({ result, reason: expect.stringMatching(reason) })
  })
})

test('a case as it was after some blocks: runs by their number', () => {
  const [one] = met([['1100', '0011']])
  if (one === undefined) throw new Error('no case')
  const known = takeFirstBlocks({ ...one, numbers: { candidate: [1, 2, 3, 4], baseline: [1, 3, 4, 5] } }, 3)
  expect(known).toMatchObject({ candidate: [1, 1, 0], baseline: [0, 0], numbers: { baseline: [1, 3] } })
  expect([known.passed.baseline.length, known.seconds.baseline.length, known.usd.candidate.length]).toEqual([2, 2, 3])
})

describe('looks', () => {
  const strong = met(times(8, ['111', '000']))
  const open = met(times(8, ['101', '100']))
  const hopeless = met([...times(7, ['100', '010']), ['100', '110']])
  test.each<[string, PairedCase[], number, string | null]>([
    ['a strong gain wins at the first look that may accept', strong, 3, 'won'],
    ['and not at a look that may not', strong, 2, null],
    ['what is open goes on', open, 3, null],
    ['what can hardly win any more ends, and is no win', hopeless, 3, 'tie'],
    ['after one block nothing ends', hopeless, 1, null],
  ])('%s', (_, cases, blocks, result) => {
    expect(look(cases, { blocks, planned: 10 }).verdict?.result ?? null).toBe(result)
  })
})

describe('the error of a session', () => {
  test('of all candidates that do not win it is never more than .05 in sum', () => {
    let spent = 0
    for (let left = 5; left > 0; left -= 1) spent += candidateAlpha({ spent, left })
    expect(spent).toBeCloseTo(sessionAlpha, 9)
    for (let at = 0; at < 50; at += 1) spent += candidateAlpha({ spent, left: 5 })
    expect(spent).toBeLessThanOrEqual(sessionAlpha + 1e-12)
  })
  test.each([2, 3, 5, 10, 20])('of %i blocks the looks spend no more than the candidate has', (planned) => {
    const blocks = Array.from({ length: planned }, (_, at) => at + 1)
    expect(blocks.reduce((sum, at) => sum + lookAlpha(0.01, at, planned), 0)).toBeCloseTo(0.01, 9)
  })
  const gate = (changes: object) =>
    ({ ...look(met(times(8, ['1010', '0101']))).verdict, ...changes }) as TriedVersion['gate']
  const tried = (
    version: string,
    grading_result: TriedVersion['grading_result'],
    changes: object = {},
  ): TriedVersion => ({
    version,
    parent: 'v0',
    grading_result,
    gate: grading_result === 'baseline' ? undefined : gate({ result: grading_result, ...changes }),
  })
  const v0 = tried('v0', 'baseline')
  test('a win gives back what it was given; what ended on training cases had none', () => {
    expect(spentAlpha([v0, tried('v1', 'tie'), tried('v2', 'won'), tried('v3', 'lost', { stage: 'train' })])).toBe(0.01)
  })
  test.each<[string, TriedVersion[], object]>([
    [
      'a win is the best, and what comes next starts from it',
      [tried('v1', 'won')],
      { best: 'v1', head: 'v1', gain: 0 },
    ],
    ['a loss changes nothing', [tried('v1', 'lost')], { best: 'v0', head: 'v0' }],
    [
      'what is better on training cases is worked on, and is not the best',
      [tried('v1', 'tie', { stage: 'train', difference: 0.1 })],
      { best: 'v0', head: 'v1', gain: 0.07 },
    ],
    [
      'and once more',
      [
        tried('v1', 'tie', { stage: 'train', difference: 0.1 }),
        tried('v2', 'tie', { stage: 'train', difference: 0.1 }),
      ],
      { head: 'v2', gain: 0.14 },
    ],
    [
      'a loss on the way leaves the way',
      [tried('v1', 'tie', { stage: 'train', difference: 0.1 }), tried('v2', 'lost', { stage: 'train' })],
      { head: 'v1' },
    ],
    [
      'a promising tie is worked on',
      [tried('v1', 'tie', { difference: 0.1, p_value: 0.1 })],
      { best: 'v0', head: 'v1', gain: 0.1 },
    ],
    [
      'a tie that is nothing is left',
      [tried('v1', 'tie', { difference: 0.01, p_value: 0.4 })],
      { best: 'v0', head: 'v0' },
    ],
  ])('%s', (_, tries, course) => {
    const found = traceCourse([v0, ...tries])
    expect({ ...found, gain: Number(found.gain.toFixed(6)) }).toMatchObject(course)
  })
  test('validation is run for a gain that it finds soon, or as the last thing', () => {
    const at = { detectable: 0.15, left: 3 }
    const isWorth = (gain: number, more = {}) => isWorthValidating(gain, { ...at, ...more })
    expect([0.6, 0.4, -0.1].map((gain) => isWorth(gain))).toEqual([true, false, false])
    expect([0.1, -0.1].map((gain) => isWorth(gain, { left: 1 }))).toEqual([true, false])
    // what it can't find is not worth it, however much is hoped for
    expect(isWorth(0.6, { detectable: 0.7 })).toBe(false)
  })
  test('four tries in a row for nothing are a plateau', () => {
    expect(isPlateau([true, false, false, false, false])).toBe(true)
    expect(isPlateau([false, false, true, false, false, false])).toBe(false)
    expect(isPlateau([false, false, false])).toBe(false)
  })
})

describe('on training cases', () => {
  const tried = (cases: PairedCase[], isWorth: boolean) =>
    trainVerdict({ against: 'v0', cases, blocks: 2, margins: usualMargins, isWorth: () => isWorth })
  test.each<[string, Scores[], boolean, string | null]>([
    ['better, and worth it: on to validation', times(4, ['11', '01']), true, null],
    ['better, not worth it yet: worked on', times(4, ['11', '01']), false, 'tie'],
    ['the same: lost', times(4, ['01', '01']), true, 'lost'],
    ['worse: lost', times(4, ['01', '11']), true, 'lost'],
    ['where all passes already they say nothing', times(4, ['11', '11']), true, null],
    ['better, but a case got worse for certain', [...times(4, ['1111', '0000']), ['0000', '1111']], true, 'lost'],
  ])('%s', (_, scores, isWorth, result) => {
    expect(tried(met(scores), isWorth)?.result ?? null).toBe(result)
  })
})

describe('a candidate that is behind its parent', () => {
  test.each<[string, Scores[], boolean]>([
    ['by its first run of each case', times(4, ['0', '1111']), true],
    ['by little in many runs', times(4, ['0111', '1111']), true],
    ['by one case, nine others being equal', [...times(9, ['1', '1']), ['0', '1']], true],
    ['as good', times(4, ['0101', '0101']), false],
    ['behind by less than the noise', [...times(5, ['01', '0011']), ['0001', '0011']], false],
    ['better', times(4, ['1', '0111']), false],
    ['nothing to compare', times(4, ['', '1111']), false],
  ])('%s: %j', (_, scores, is) => {
    expect(isLosingToParent(met(scores))).toBe(is)
  })
  test('meets one that was tried against more often with more runs', () => {
    expect([0, 2, 3, 11].map((tries) => parentRuns(4, tries))).toEqual([4, 4, 5, 7])
  })
})

test('the power said before: .25 at 20 cases × 10 runs is found nearly always, at 5 × 2 hardly', () => {
  const powerOf = (design: { cases: number; runs: number }) =>
    gatePower({ ...design, alpha: 0.01 }).power.find(({ gain }) => gain === 0.25)?.power ?? 0
  expect(powerOf({ cases: 20, runs: 10 })).toBeGreaterThan(0.95)
  expect(powerOf({ cases: 5, runs: 2 })).toBeLessThan(0.2)
})

describe('folds that take turns', () => {
  const gate = (stage: 'train' | 'validation', result: 'won' | 'lost' | 'tie', difference: number) =>
    ({ stage, result, difference, p_value: 0.5, alpha: 0.01 }) as GateResult
  const of = (iteration: number, made: GateResult): Iteration => ({
    version: `v${iteration}`,
    parent: 'v0',
    iteration,
    grading_result: made.result,
    gate: made,
    expectation_pass_rate: 0,
    is_current_best: false,
  })
  const baseline: Iteration = {
    ...{ version: 'v0', parent: null, iteration: 0, grading_result: 'baseline' },
    ...{ expectation_pass_rate: 0, is_current_best: true },
  }
  const unfit = (iteration: number): RefusedProposal => ({
    ...{ iteration, parent: 'v0', rule: 'r', reason: 'r', proposal: null, cost_usd: null },
    ended_at: '2026-01-15T10:30:00Z',
  })
  const [won, lost, promising] = [
    gate('validation', 'won', 0.4),
    gate('train', 'lost', -0.1),
    gate('train', 'tie', 0.2),
  ]
  const split = { kind: 'cross_fitted' as const, train: [1, 2], validation: [3] }
  const trainOf = (tries: { iterations: Iteration[]; refused?: RefusedProposal[] }, iteration: number) =>
    findFold(split, tries, iteration).train

  test('change sides after each try that leaves nothing open, refused ones too', () => {
    const tries = { iterations: [baseline, of(1, lost), of(3, won)], refused: [unfit(2)] }
    expect([1, 2, 3, 4].map((at) => trainOf(tries, at))).toEqual([[1, 2], [3], [1, 2], [3]])
  })
  test('stay while a version is worked on further: what it learned from a case must not be judged by it', () => {
    const tries = { iterations: [baseline, of(1, promising), of(2, lost), of(4, won)], refused: [unfit(3)] }
    expect([1, 2, 3, 4, 5].map((at) => trainOf(tries, at))).toEqual([[1, 2], [1, 2], [1, 2], [1, 2], [3]])
  })
  test('what is judged is never what was learned from since the best', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('won', 'lost', 'promising', 'refused', 'tied'), { maxLength: 12 }),
        (kinds) => {
          const made = { won, lost, promising, tied: gate('validation', 'tie', 0.1) }
          const tries = { iterations: [baseline], refused: [] as RefusedProposal[] }
          let learned = new Set<number>()
          for (const [index, kind] of kinds.entries()) {
            const iteration = index + 1
            const fold = findFold(split, tries, iteration)
            for (const id of fold.train) learned.add(id)
            expect(fold.validation.filter((id) => learned.has(id))).toEqual([])
            if (kind === 'refused') tries.refused.push(unfit(iteration))
            else tries.iterations.push(of(iteration, made[kind]))
            const { best, head } = traceCourse(tries.iterations)
            if (head === best) learned = new Set()
          }
        },
      ),
    )
  })
  test('three parts never change', () => {
    const tries = { iterations: [baseline, of(1, lost)] }
    expect(findFold({ ...split, kind: 'three_way' }, tries, 2).train).toEqual([1, 2])
  })
})

test('whatever was tried, the best is v0 or a version that has won: what is worked on further is never shipped', () => {
  const results = fc.constantFrom('won' as const, 'lost' as const, 'tie' as const)
  const stages = fc.constantFrom('train' as const, 'validation' as const)
  const one = fc.record({ result: results, stage: stages, difference: fc.double({ min: -1, max: 1, noNaN: true }) })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 15 }), (gates) => {
      const tries: TriedVersion[] = gates.map((gate, at) => ({
        ...{ version: `v${at + 1}`, parent: 'v0', grading_result: gate.result },
        gate: { ...gate, p_value: 0.1, alpha: 0.01 } as GateResult,
      }))
      const { best } = traceCourse([{ version: 'v0', parent: null, grading_result: 'baseline' }, ...tries])
      const won = tries.filter(({ grading_result }) => grading_result === 'won').map(({ version }) => version)
      expect(best).toBe(won.at(-1) ?? 'v0')
    }),
  )
})
