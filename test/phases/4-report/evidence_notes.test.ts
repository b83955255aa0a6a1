/** The note on evidence counts the passes in doubt by their reason and names the first; where none is in doubt there is none. */
import { expect, test } from 'vitest'
import type { BenchmarkRun } from '../../../schemas/benchmark.ts'
import { evidenceNotes } from '../../../src/phases/4-report/notes/rules/evidence.ts'

type Verified = 'exact' | 'fuzzy' | 'absent' | 'claim' | 'not_a_quote' | null

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
    ...((one === 'absent' || one === 'claim') && { evidence_flag: 'not there' }),
  })),
  notes: [],
})
const notesOf = (runs: BenchmarkRun[]) => evidenceNotes({ runs } as Parameters<typeof evidenceNotes>[0])

test.each<[string, BenchmarkRun[], string]>([
  [
    'one on a quote that was not found',
    [run('exact', 'absent'), run('exact', 'fuzzy', 'not_a_quote', null)],
    `1 pass without evidence: 1 on a quote that was not found, 'Statement 1' (case 3, with_skill run 2). Review it with "whetstone audit".`,
  ],
  [
    'several, in several runs and for both reasons',
    [{ ...run('exact', 'absent'), run_number: 1 }, run('absent', 'claim')],
    `3 passes without evidence: 2 on a quote that was not found, 1 on the agent's claim about its own work, such as 'Statement 1' (case 3, with_skill run 1). Review them with "whetstone audit".`,
  ],
])('counts and names: %s', (_, runs, note) => expect(notesOf(runs)).toEqual([note]))
test.each<[string, BenchmarkRun[]]>([
  ['code decided everything', [run(null)]],
  ['every quote was found, or nearly', [run('exact', 'fuzzy', 'not_a_quote')]],
])('is silent where %s', (_, runs) => expect(notesOf(runs)).toEqual([]))
