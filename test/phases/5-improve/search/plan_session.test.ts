/** How a session divides its runs: half search, half certify, no round takes more than its part, and each proposer looks at other failures. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FailedCase, groupFailures } from '../../../../src/phases/5-improve/search/group_failures.ts'
import {
  dividePairs,
  leastRuns,
  planSession,
  roundBudget,
} from '../../../../src/phases/5-improve/search/plan_session.ts'

test.each([
  [8, { search_runs: 4, certification_runs: 4, rounds: 1 }],
  [60, { search_runs: 30, certification_runs: 30, rounds: 2 }],
  [250, { search_runs: 125, certification_runs: 125, rounds: 4 }],
  [2000, { search_runs: 1000, certification_runs: 1000, rounds: 4 }],
])('%i runs', (runs, plan) => {
  expect(planSession(runs)).toEqual(plan)
})

const sizes = { runs: fc.integer({ min: leastRuns, max: 3000 }), cases: fc.integer({ min: 1, max: 60 }) }

test('rounds that show versions which always pass, or always fail, never take more runs than the search has', () => {
  fc.assert(
    fc.property(fc.record({ ...sizes, passes: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }) }), (one) => {
      const plan = planSession(one.runs)
      expect(plan.search_runs + plan.certification_runs).toBe(one.runs)
      let used = 0
      for (let round = 1; round <= plan.rounds; round += 1) {
        const budget = roundBudget(plan, { round, used, cases: one.cases })
        const shown = one.passes[round - 1] ? budget.mostPassing : budget.mostShown
        const pairs = Math.max(1, Math.floor((budget.runs - shown) / 2))
        expect(budget.mostShown).toBeGreaterThanOrEqual(1)
        expect(budget.mostShown).toBeLessThanOrEqual(one.cases)
        used += shown + 2 * pairs
        expect(used).toBeLessThanOrEqual((plan.search_runs * round) / plan.rounds)
      }
    }),
  )
})

test('what a round leaves over, the next one has', () => {
  const plan = planSession(250)
  const at = (used: number) => roundBudget(plan, { round: 2, used, cases: 6 }).runs
  expect([at(31), at(20), at(62), at(70)]).toEqual([31, 42, 0, 0])
})

test('a version that passes is run on every case, and at least 20 times if the round pays for it', () => {
  const most = (cases: number, runs = 400) => roundBudget(planSession(runs), { round: 1, used: 0, cases }).mostPassing
  expect([most(3), most(13), most(30)]).toEqual([20, 20, 30])
  // a round of 15 runs keeps a pair
  expect([most(3, 60), most(30, 60)]).toEqual([13, 13])
})

test('held-out cases get equal numbers of pairs; the first ones have one more', () => {
  expect([...dividePairs([5, 2, 9], 14)]).toEqual([
    [5, 3],
    [2, 2],
    [9, 2],
  ])
  expect([...dividePairs([5, 2, 9], 4).values()]).toEqual([1, 1, 0])
  fc.assert(
    fc.property(sizes.runs, sizes.cases, (runs, cases) => {
      const ids = Array.from({ length: cases }, (_, at) => at)
      const pairs = [...dividePairs(ids, runs).values()]
      expect(pairs.reduce((sum, one) => sum + one, 0)).toBe(Math.floor(runs / 2))
      expect(Math.max(...pairs) - Math.min(...pairs)).toBeLessThanOrEqual(1)
    }),
  )
})

const failed = (evalId: number, kind: string, ...texts: string[]): FailedCase => ({ evalId, kind, failed: texts })

test('cases that fail in the same way are in the same group, whatever the order', () => {
  const cases = [
    failed(4, 'wrong answer', 'has a total'),
    failed(1, 'skill not read', 'has a title'),
    failed(3, 'wrong answer', 'has a total'),
    failed(2, 'skill not read', 'has a title'),
  ]
  const groups = [
    'case-1 (skill not read: has a title); case-2 (skill not read: has a title)',
    'case-3 (wrong answer: has a total); case-4 (wrong answer: has a total)',
  ]
  expect(groupFailures(cases, 2)).toEqual(groups)
  expect(groupFailures(cases.toReversed(), 2)).toEqual(groups)
})

test('every failed case is in one group, and no group is empty', () => {
  const cases = Array.from({ length: 7 }, (_, at) => failed(at + 1, 'wrong answer', `text ${at % 3}`))
  const groups = groupFailures(cases, 3)
  const named = groups.flatMap((text) => [...text.matchAll(/case-(\d+)/g)].map(([, id]) => Number(id)))
  expect(named.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(groups.map((text) => text.split('; ').length)).toEqual([2, 2, 3])
})

test('texts of failures are on one line and cut', () => {
  const [text = ''] = groupFailures([failed(1, 'wrong answer', `a\n  b ${'x'.repeat(300)}`)], 1)
  expect(text).toContain('case-1 (wrong answer: a b xxx')
  expect(text).not.toContain('\n')
  expect(text.length).toBeLessThan(160)
})

test('with fewer failures than proposers, groups repeat; without any, no proposer has a focus', () => {
  expect(groupFailures([failed(1, 'timed out'), failed(2, 'wrong answer')], 3)).toEqual([
    'case-1 (timed out)',
    'case-2 (wrong answer)',
    'case-1 (timed out)',
  ])
  expect(groupFailures([], 3)).toEqual(['', '', ''])
})
