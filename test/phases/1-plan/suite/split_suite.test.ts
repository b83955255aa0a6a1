/** The split by case: seeded, stratified, disjoint, large enough to judge on. */
import { describe, expect, test } from 'vitest'
import { splitCases } from '../../../../src/phases/1-plan/suite/split_suite.ts'
import { suiteCase } from '../../../fixtures/suite_case.ts'

const cases = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    suiteCase({
      eval_id: at + 1,
      prompt: `task ${at}`,
      expectations: at % 3 === 0 ? [{ text: 'It is good.' }] : [],
      checks: at % 3 === 0 ? [] : [{ type: 'contains', value: 'x' }],
    }),
  )
const all = ({ train, validation, test: aside }: ReturnType<typeof splitCases>) =>
  [...train, ...validation, ...aside].sort((a, b) => a - b)

describe.each([2, 5, 6, 12, 17, 18, 20, 50, 101])('of %i cases', (count) => {
  const made = splitCases(cases(count), 1)
  test('each is in one part', () => expect(all(made)).toEqual(cases(count).map(({ eval_id }) => eval_id)))
  test('the parts have their shares', () => {
    const { kind, train, validation, test: aside } = made
    expect(kind).toBe(count >= 18 ? 'three_way' : 'cross_fitted')
    expect(train.length).toBeGreaterThan(0)
    expect(validation.length).toBeGreaterThanOrEqual(count >= 18 ? 8 : 1)
    if (count < 6) expect(aside).toEqual([])
    else expect(aside.length / count).toBeGreaterThan(0.1)
  })
  test('each stratum is shared out', () => {
    for (const { train, validation, test: aside } of made.strata) {
      const size = train.length + validation.length + aside.length
      if (size >= 10) for (const part of [train, validation, aside]) expect(part.length).toBeGreaterThan(0)
    }
    expect(made.strata.flatMap((one) => [...one.train, ...one.validation, ...one.test])).toHaveLength(count)
  })
})

test('the same seed splits the same in any order; another seed otherwise', () => {
  const own = splitCases(cases(20), 1)
  expect(splitCases(cases(20).reverse(), 1)).toEqual(own)
  expect(splitCases(cases(20), 2).train).not.toEqual(own.train)
})

test('cases that can not run are in no part', () => {
  const some = cases(20).map((one) => (one.eval_id === 3 ? { ...one, cannot_run: 'no file' } : one))
  expect(all(splitCases(some, 1))).not.toContain(3)
})

test('a single case can not be both seen and unseen', () => {
  expect(() => splitCases(cases(1), 1)).toThrow(/at least 2 cases/)
})
