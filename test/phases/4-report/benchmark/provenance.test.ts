/** What is said of where a benchmark comes from. */
import { expect, test } from 'vitest'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { listBenchmarkFacts } from '../../../../src/phases/4-report/benchmark/provenance.ts'
import { arm, inputOf } from '../fixture.ts'

const judgeOf = (verdicts: string | null, judge: string | null) => {
  const input = inputOf(arm(1, 'with_skill', [verdicts]))
  const made = aggregate({ ...input, metadata: { ...input.metadata, judge } })
  return listBenchmarkFacts(made).find(({ name }) => name === 'judge')?.value
}

test.each<[string, string | null, string | null, string]>([
  ['code decided what was graded', '+', null, 'none: code decided everything'],
  ['nothing was graded: nobody decided', null, null, 'none: no run was graded'],
  ['a judge', '+', 'anthropic:haiku', 'anthropic:haiku'],
  ['a judge that had nothing to grade', null, 'anthropic:haiku', 'anthropic:haiku'],
])('the judge where %s', (_, verdicts, judge, said) => expect(judgeOf(verdicts, judge)).toBe(said))

test('recorded sessions are counted; runs are per case and configuration', () => {
  const made = aggregate(inputOf(arm(1, 'with_skill', ['+', '-'])))
  const readRuns = (one: typeof made) => listBenchmarkFacts(one).find(({ name }) => name === 'runs')?.value
  expect(readRuns({ ...made, observational: true })).toMatch(/^\d+ recorded sessions?$/)
  expect(readRuns(made)).toContain('per case and configuration')
})

test('the engine is named with its version', () => {
  const input = inputOf(arm(1, 'with_skill', ['+']))
  const made = aggregate({ ...input, metadata: { ...input.metadata, engine: 'pi', engineVersion: '0.73.1' } })
  expect(listBenchmarkFacts(made)).toContainEqual({ name: 'engine', value: 'pi 0.73.1' })
})
