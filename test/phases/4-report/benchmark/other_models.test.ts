/** Runs of several models are no comparison of a skill: those that another model answered than most count as failed. */
import { expect, test } from 'vitest'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import type { AggregateInput } from '../../../../src/phases/4-report/benchmark/aggregate_input.ts'
import { findMissingWork } from '../../../../src/phases/4-report/benchmark/incomplete.ts'
import { arm, inputOf } from '../fixture.ts'

const by = (model: string | null, ended_at: string) => ({
  record: { engine: { name: 'e', version: null, model, provider: null }, ended_at },
})
const first = by('sonnet', '2026-01-15T10:00:00.000Z')
const counts = (baseline: object, changes: Partial<AggregateInput> = {}) =>
  aggregate(
    inputOf([...arm(1, 'with_skill', ['+', '+'], first), ...arm(1, 'without_skill', ['-', '-'], baseline)], changes),
  )

test('the runs of another model are excluded, and with them the verdict', () => {
  const made = counts(by('haiku', '2026-01-15T11:00:00.000Z'))
  expect(made.counts).toMatchObject({ used: 2, excluded: { 'failed:setup': 2 } })
  expect(made.excluded_runs?.map(({ configuration }) => configuration)).toEqual(['without_skill', 'without_skill'])
  expect(made.excluded_runs?.[0]?.message).toContain('e answered with haiku, other runs with sonnet')
  expect(made.complete).toBe(false)
  expect(findMissingWork(made)).toBeNull() // the same command would perform no run
})

test('one odd run leaves out itself, also if it was the first', () => {
  const odd = by('haiku', '2026-01-15T09:00:00.000Z')
  const made = aggregate(inputOf([...arm(1, 'with_skill', ['+'], odd), ...arm(1, 'without_skill', ['-', '-'], first)]))
  expect(made.counts).toMatchObject({ used: 2, excluded: { 'failed:setup': 1 } })
})

test.each<[string, object, Partial<AggregateInput>]>([
  ['have the same model', by('sonnet', '2026-01-15T11:00:00.000Z'), {}],
  ['do not say which', by(null, '2026-01-15T11:00:00.000Z'), {}],
  ['are recorded sessions', by('haiku', '2026-01-15T11:00:00.000Z'), { observational: true }],
])('control: all count where the others %s', (_what, baseline, changes) =>
  expect(counts(baseline, changes).counts).toMatchObject({ used: 4, excluded: {} }),
)
