/** What is held small counts the same, and what many runs have in common is held once. */
import { expect, test } from 'vitest'
import { holdSmall } from '../../src/flows/counted_small.ts'
import { aggregate } from '../../src/phases/4-report/aggregate.ts'
import { likeFirst } from '../base/hidden_class.ts'
import { record } from '../fixtures/record.ts'
import { specOf } from '../fixtures/run_spec.ts'
import { arm, inputOf, oneOfEverything, resultOf } from '../phases/4-report/fixture.ts'

const lines = arm(1, 'with_skill', ['++', '+-', '++', '--'])
const counted = lines.map((line) => ({ ...resultOf(line), record: record({ run_number: line.run }) }))

test('a benchmark of small runs is the same', () => {
  const small = holdSmall()
  const results = new Map(
    [...oneOfEverything.results].map(([id, result]) => {
      const { grading } = result
      const known = { ...result, record: result.record ?? record() }
      const more = grading && {
        claims: [],
        eval_feedback: { suggestions: [], overall: '' },
        graded_key: 'k',
        timing: {},
      }
      const full = { ...known, grading: grading && { ...grading, ...more } }
      return [id, small(full, specOf({ key: known.record.key }), false)]
    }),
  )
  expect(aggregate({ ...oneOfEverything, results })).toEqual(aggregate(oneOfEverything))
})
test('equal parts are one, others stay what they are', () => {
  const small = holdSmall()
  const held = counted.map((run) => small(run, specOf(), false))
  expect(held[2]?.grading?.expectations).toBe(held[0]?.grading?.expectations)
  expect(held[3]?.record.engine).toBe(held[0]?.record.engine)
  expect(held.map(({ grading }) => grading?.expectations)).toEqual(counted.map(({ grading }) => grading?.expectations))
  expect(Object.keys(held[0]?.grading ?? {})).not.toContain('graded_key')
})
test('a grading that is held against others of the same run stays whole', () => {
  const grading = { ...inputOf(lines).results.values().next().value?.grading, graded_key: 'k' }
  const [run] = counted
  if (run?.grading == null) throw new Error('no grading')
  const whole = { ...run, grading: { ...run.grading, ...grading } }
  expect(holdSmall()(whole, specOf(), true).grading).toBe(whole.grading)
})

test('runs have one hidden class', () => {
  const small = holdSmall()
  const many = Array.from({ length: 25 }, () => lines).flat()
  const held = many.map((line) => small({ ...resultOf(line), record: record() }, specOf(), false))
  expect(likeFirst(held)).toBe(held.length)
})
