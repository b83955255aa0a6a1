/** Notes on evidence and on conversations, and how many of two benchmarks one page shows. */
import { expect, test } from 'vitest'
import type { BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { ConversationEnd } from '../../../../schemas/conversation.ts'
import { limitNotesOfTwo } from '../../../../src/features/diff/merge_benchmarks.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { evidenceNotes } from '../../../../src/phases/4-report/notes/notes.ts'
import { arm, inputOf } from '../fixture.ts'

type Verified = 'exact' | 'fuzzy' | 'absent' | 'claim' | 'not_a_quote' | null

const run = (...verified: Verified[]): BenchmarkRun => ({
  ...{ eval_id: 3, eval_name: 'totals', configuration: 'with_skill', run_number: 2, notes: [] },
  result: { pass_rate: 1, passed: 1, failed: 0, total: 1, errors: 0 },
  expectations: verified.map((one, index) => ({
    ...{ text: `Statement ${index}`, passed: true, evidence: 'x' },
    ...(one && { evidence_verified: one }),
    ...((one === 'absent' || one === 'claim') && { evidence_flag: 'not there' }),
  })),
})

test.each<[string, BenchmarkRun[], string[]]>([
  [
    'one on a quote that was not found',
    [run('exact', 'absent'), run('exact', 'fuzzy', 'not_a_quote', null)],
    [
      `1 pass without evidence: 1 on a quote that was not found, 'Statement 1' (case 3, with_skill run 2). Review it with "whetstone audit".`,
    ],
  ],
  [
    'several, in several runs and for both reasons',
    [{ ...run('exact', 'absent'), run_number: 1 }, run('absent', 'claim')],
    [
      `3 passes without evidence: 2 on a quote that was not found, 1 on the agent's claim about its own work, such as 'Statement 1' (case 3, with_skill run 1). Review them with "whetstone audit".`,
    ],
  ],
  ['none where code decided, or every quote was found', [run(null), run('exact', 'fuzzy', 'not_a_quote')], []],
])('passes in doubt are counted and named: %s', (_, runs, notes) => {
  expect(evidenceNotes({ runs } as Parameters<typeof evidenceNotes>[0])).toEqual(notes)
})

test.each<[ConversationEnd, string[]]>([
  [
    'agent_did_not_ask',
    [
      'Conversations ended: 2 runs with skill: 2 × every message was sent; 2 runs without skill: 2 × the agent did not ask.',
    ],
  ],
  ['goal_met', []],
])('conversations that end with %s are told where that is before all was said', (end, told) => {
  const talk = (ended: ConversationEnd) => ({
    record: { conversation: { turns: [{ prompt: 'p', answer: 'a', step: 1 }], ended } },
  })
  const lines = [
    ...arm(1, 'with_skill', ['+', '+'], talk('all_delivered')),
    ...arm(1, 'without_skill', ['-', '-'], talk(end)),
  ]
  expect(aggregate(inputOf(lines)).notes.filter((note) => note.startsWith('Conversations'))).toEqual(told)
})

const notes = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at + 1}`)

test.each([
  [6, 6, 'A1 A2 A3 B1 B2 B3'],
  [1, 6, 'A1 B1 B2 B3 B4 B5'],
  [6, 1, 'A1 A2 A3 A4 A5 B1'],
  [2, 2, 'A1 A2 B1 B2'],
])('of %d notes on A and %d on B six are shown', (a, b, shown) =>
  expect(limitNotesOfTwo(notes('A', a), notes('B', b)).join(' ')).toBe(shown),
)
