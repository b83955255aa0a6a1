/** A grading of another tool whose summary contradicts its items: the items count, and a note names the place. */
import { expect, test } from 'vitest'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import { folderOf, graded } from '../../store/foreign/folder.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date('2026-01-15T10:30:00Z') }

async function notesOf(summary: object | undefined): Promise<readonly string[]> {
  const folder = folderOf({
    'eval-1/with_skill/grading.json': { ...graded(1, 2, 'a'), ...(summary && { summary }) },
    'eval-1/without_skill/grading.json': graded(1, 2, 'b'),
  })
  const { benchmark } = await aggregateAgain(
    { folder, candidate: null, baseline: null, force: false, agentskills: null },
    context,
  )
  expect(benchmark.runs.map(({ result }) => result.passed)).toEqual([1, 1])
  return benchmark.notes.filter((note) => note.includes('contradict'))
}

test.each<[string, object | undefined, string[]]>([
  [
    'more passes than the items',
    { passed: 2, failed: 0, total: 2, pass_rate: 1 },
    [
      '1 grading contradicts itself; the items count, not the summary: eval-1/with_skill: its summary says 2 of 2 passed, its items 1 of 2.',
    ],
  ],
  [
    'fewer items than there are',
    { passed: 1, failed: 0, total: 1, pass_rate: 1 },
    [
      '1 grading contradicts itself; the items count, not the summary: eval-1/with_skill: its summary says 1 of 1 passed, its items 1 of 2.',
    ],
  ],
  ['control: the same counts', { passed: 1, failed: 1, total: 2, pass_rate: 0.5 }, []],
  ['control: no summary', undefined, []],
])('%s', async (_, summary, notes) => expect(await notesOf(summary)).toEqual(notes))
