/** The split by case: seeded, stratified, disjoint, a third for training. */
import { describe, expect, test } from 'vitest'
import { leastForSimilarCases, splitCases } from '../../../../src/phases/1-plan/suite/split_suite.ts'
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
const all = ({ train, held_out }: Pick<ReturnType<typeof splitCases>, 'train' | 'held_out'>) =>
  [...train, ...held_out].sort((a, b) => a - b)

describe.each([2, 3, 4, 8, 12, 18, 20, 50, 101])('of %i cases', (count) => {
  const made = splitCases(cases(count), 1)
  test('each is in one part', () => expect(all(made)).toEqual(cases(count).map(({ eval_id }) => eval_id)))
  test('a third is for training, and neither part is empty', () => {
    expect(Math.abs(made.train.length - count / 3)).toBeLessThan(1)
    expect(made.train.length).toBeGreaterThan(0)
    expect(made.held_out.length).toBeGreaterThan(0)
  })
  test('each stratum is shared out in the same way', () => {
    for (const one of made.strata) {
      const size = one.train.length + one.held_out.length
      expect(Math.abs(one.train.length - size / 3)).toBeLessThan(1)
      for (const part of ['train', 'held_out'] as const) {
        expect(made[part]).toEqual(expect.arrayContaining(one[part]))
      }
    }
    expect(made.strata.flatMap(all)).toHaveLength(count)
  })
})

test('with enough cases for a claim about similar cases, 8 are held out; with one less they are not', () => {
  const heldOut = (count: number) => splitCases(cases(count), 1).held_out.length
  expect([heldOut(leastForSimilarCases), heldOut(leastForSimilarCases - 1)]).toEqual([8, 7])
})

test('the same seed splits the same in any order; another seed otherwise', () => {
  const own = splitCases(cases(20), 1)
  expect(splitCases(cases(20).reverse(), 1)).toEqual(own)
  expect(splitCases(cases(20), 2).train).not.toEqual(own.train)
})

test('cases that cannot run are in no part', () => {
  const some = cases(20).map((one) => (one.eval_id === 3 ? { ...one, cannot_run: 'no file' } : one))
  expect(all(splitCases(some, 1))).not.toContain(3)
})

test('a single case cannot be both seen and unseen', () => {
  expect(() => splitCases(cases(1), 1)).toThrow(/at least 2 cases/)
})

test('a case that names its part is in that part; the others are dealt as before; an empty part is refused', () => {
  const some = cases(6).map((one, index) => (index < 2 ? { ...one, split: 'train' as const } : one))
  const named = some.filter(({ split }) => split === 'train').map(({ eval_id }) => eval_id)
  for (const seed of [1, 2, 3, 4]) expect(splitCases(some, seed).train).toEqual(expect.arrayContaining(named))
  expect([1, 2, 3, 4].every((seed) => named.every((id) => splitCases(cases(6), seed).train.includes(id)))).toBe(false)
  const all = cases(3).map((one) => ({ ...one, split: 'train' as const }))
  expect(() => splitCases(all, 1)).toThrow(/"split": "held_out"/)
})
