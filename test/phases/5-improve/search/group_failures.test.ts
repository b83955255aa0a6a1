/** Each proposer of a round looks at other failures first. */
import { expect, test } from 'vitest'
import { type FailedCase, groupFailures } from '../../../../src/phases/5-improve/search/group_failures.ts'

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

test('with fewer failures than proposers, groups repeat; without any, no proposer has a focus', () => {
  expect(groupFailures([failed(1, 'timed out'), failed(2, 'wrong answer')], 3)).toEqual([
    'case-1 (timed out)',
    'case-2 (wrong answer)',
    'case-1 (timed out)',
  ])
  expect(groupFailures([], 3)).toEqual(['', '', ''])
})
