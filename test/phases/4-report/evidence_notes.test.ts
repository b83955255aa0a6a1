/** The note on evidence counts what was looked up, and names each pass in doubt; without a judge there is none. */
import { expect, test } from 'vitest'
import type { BenchmarkRun } from '../../../schemas/benchmark.ts'
import { evidenceNotes } from '../../../src/phases/4-report/notes/evidence.ts'

type Verified = 'exact' | 'fuzzy' | 'absent' | 'not_a_quote' | null

const run = (...verified: Verified[]): BenchmarkRun => ({
  eval_id: 3,
  eval_name: 'totals',
  configuration: 'with_skill',
  run_number: 2,
  result: { pass_rate: 1, passed: 1, failed: 0, total: 1, errors: 0 },
  expectations: verified.map((one, index) => ({
    text: `Statement ${index}`,
    passed: true,
    evidence: 'x',
    ...(one && { evidence_verified: one }),
    ...(one === 'absent' && { evidence_flag: 'not there' }),
  })),
  notes: [],
})
const notesOf = (runs: BenchmarkRun[]) =>
  evidenceNotes({ runs } as Parameters<typeof evidenceNotes>[0]).flatMap(({ notes }) => notes)

test('counts and names', () => {
  expect(notesOf([run('exact', 'absent'), run('exact', 'fuzzy', 'not_a_quote', null)])).toEqual([
    'Evidence of 5 judged verdicts: 2 quoted and found, 1 nearly, 1 quoted and not found, 1 without a quote',
    "'Statement 1' (eval 3, with_skill run 2) passes on a quote that was not found",
  ])
})
test('names an expectation once, however many runs it is of', () => {
  const of = (run_number: number) => ({ ...run('absent'), run_number })
  expect(notesOf([of(1), of(2)])[1]).toBe(
    "'Statement 0' (eval 3, with_skill run 1 and with_skill run 2) passes on a quote that was not found",
  )
  expect(notesOf([of(1), of(2), of(3), { ...of(1), eval_id: 4 }]).slice(1)).toEqual([
    "'Statement 0' (eval 3, 3 runs, with_skill run 1 the first) passes on a quote that was not found",
    "'Statement 0' (eval 4, with_skill run 1) passes on a quote that was not found",
  ])
})
test('is silent where code decided everything', () => expect(notesOf([run(null)])).toEqual([]))
