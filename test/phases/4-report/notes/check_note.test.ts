/** A model's note is kept only where its runs are there and its numbers hold. */
import { describe, expect, test } from 'vitest'
import type { AnalystNote } from '../../../../schemas/analyst_notes.ts'
import type { BenchmarkRun } from '../../../../schemas/benchmark.ts'
import { validateNote } from '../../../../src/flows/report/analyst_notes.ts'

const run = (eval_id: number, configuration: string, run_number: number, pass_rate: number): BenchmarkRun => ({
  eval_id,
  eval_name: `case ${eval_id}`,
  configuration,
  run_number,
  result: { pass_rate, passed: 0, failed: 0, total: 0, time_seconds: 10 * run_number, tokens: 1200, errors: 0 },
  expectations: [{ text: 'it is neat', passed: pass_rate > 0.5, evidence: '' }],
  notes: [],
})
const runs = [
  run(1, 'with_skill', 1, 1),
  run(1, 'with_skill', 2, 0.5),
  run(1, 'without_skill', 1, 0.25),
  run(2, 'without_skill', 1, 0.25),
]

const mean = { metric: 'pass_rate', statistic: 'mean', eval_id: 1, expectation: null } as const
const note: AnalystNote = {
  text: 'Eval 1 meets 75% with the skill and 25% without, 50 points more.',
  runs: ['1/with_skill/run-1', '1/without_skill/run-1'],
  claims: [
    { ...mean, configuration: 'with_skill', value: 0.75 },
    { ...mean, configuration: 'without_skill', value: 0.25 },
  ],
}
const wrong = (changes: Partial<AnalystNote>) => validateNote({ ...note, ...changes }, { runs })
const claim = (changes: object) => wrong({ text: 'So it is.', claims: [{ ...Object(note.claims[0]), ...changes }] })

describe('a note holds', () => {
  test('whose runs are there and whose numbers follow from its claims', () => expect(wrong({})).toBeNull())
  test.each([
    [{ metric: 'time_seconds', statistic: 'max', value: 20 }],
    [{ metric: 'tokens', statistic: 'count', eval_id: null, configuration: null, value: 4 }],
    [{ metric: 'expectation', expectation: 'it is neat', value: 0.5 }],
    [{ value: 0.754 }],
  ])('%j', (changes) => expect(claim(changes)).toBeNull())
})

describe('a note is dropped', () => {
  test.each<[string, Partial<AnalystNote>, RegExp]>([
    ['without a run', { runs: [] }, /names no run/],
    ['with a run that is not there', { runs: ['1/with_skill/run-9'] }, /no run 1\/with_skill\/run-9/],
    ['without a claim', { claims: [] }, /is not based on a number/],
    ['with a number beyond its claims', { text: 'Eval 1 meets 80% with the skill.' }, /no claim gives its 80/],
  ])('%s', (_what, changes, reason) => expect(wrong(changes)).toMatch(reason))
  test.each([
    [{ value: 0.8 }, /mean pass_rate of case 1, with_skill, is 0.75, not 0.8/],
    [{ eval_id: 7 }, /there is no data/],
    [{ metric: 'expectation', expectation: 'it is never said' }, /there is no data/],
  ])('%j', (changes, reason) => expect(claim(changes)).toMatch(reason))
})
