/** Layouts of other tools that were misread once: each must give every run, under its case and its configuration. */
import { describe, expect, test } from 'vitest'
import { aggregateAgain } from '../../src/flows/aggregate.ts'
import { folderOf, graded } from '../store/foreign/folder.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date('2026-01-15T10:30:00Z') }

async function benchmarkOf(files: Record<string, unknown>) {
  const request = { folder: folderOf(files), candidate: null, baseline: null, force: false, agentskills: null }
  return (await aggregateAgain(request, context)).benchmark
}

/** "configuration eval_id/run_number passed/total", in the order of benchmark.json. */
async function runsOf(files: Record<string, unknown>): Promise<string[]> {
  return (await benchmarkOf(files)).runs.map(
    ({ configuration, eval_id, run_number, result }) =>
      `${configuration} ${eval_id}/${run_number} ${result.passed}/${result.total}`,
  )
}

const pair = [graded(2, 2, 'a'), graded(1, 2, 'b')]
const runs = pair.map((one, index) => ({ run: index + 1, ...one }))
const four = ['with_skill 1/1 2/2', 'with_skill 1/2 1/2', 'without_skill 1/1 2/2', 'without_skill 1/2 1/2']

describe('several runs in one file', () => {
  test.each<[string, Record<string, unknown>]>([
    [
      'a file in the folder of each configuration',
      { 'eval-1/with_skill/grading.json': { runs }, 'eval-1/without_skill/grading.json': { runs } },
    ],
    [
      'a file of each configuration that names it',
      {
        'eval-1/run-1/grading.json': { eval_id: 1, condition: 'with_skill', runs },
        'eval-1/run-2/grading.json': { eval_id: 1, condition: 'without_skill', runs },
      },
    ],
    [
      'in numbered run folders',
      { 'eval-1/with_skill/run-1/grading.json': { runs }, 'eval-1/without_skill/run-1/grading.json': { runs } },
    ],
    [
      'a list of runs for each configuration, with counts beside the verdicts',
      {
        'eval-1/grading.json': {
          eval_id: 1,
          with_skill: [
            { run: 1, ...graded(2, 2), passed: 2, total: 2 },
            { run: 2, ...graded(1, 2), passed: 1, total: 2 },
          ],
          without_skill: runs.map(({ summary }) => ({ summary })),
        },
      },
    ],
  ])('%s', async (_, files) => expect(await runsOf(files)).toEqual(four))
})
