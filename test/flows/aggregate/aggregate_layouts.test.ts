/** Layouts of other tools that were misread once: each must give every run, under its case and its configuration. */
import { describe, expect, test } from 'vitest'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import { folderOf, graded } from '../../store/foreign/folder.ts'

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

describe('cases whose verdicts and evidence are the same', () => {
  const [a, b] = [graded(2, 2, 'a'), graded(1, 2, 'b')]
  const arms = (folder: string, more = {}, times: Record<string, number> | null = null) => ({
    [`${folder}/with_skill/grading.json`]: { ...a, ...more },
    [`${folder}/without_skill/grading.json`]: { ...b, ...more },
    ...(times === null ? {} : { [`${folder}/with_skill/timing.json`]: times }),
  })
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['by the number of their folders', arms('eval-1-x'), arms('eval-2-y')],
    ['by the ids of their gradings', arms('x', { eval_id: 1 }), arms('y', { eval_id: 2 })],
    [
      'by the prompts of their metadata',
      { ...arms('x'), 'x/eval_metadata.json': { prompt: 'Add up.' } },
      { ...arms('y'), 'y/eval_metadata.json': { prompt: 'Take the mean.' } },
    ],
    [
      'by the id in the metadata and that in the grading',
      { ...arms('x'), 'x/eval_metadata.json': { eval_id: 1 } },
      arms('y', { eval_id: 2 }),
    ],
    ['by their tokens', arms('x', {}, { total_tokens: 500 }), arms('y', {}, { total_tokens: 501 })],
  ])('are two where they differ %s', async (_, one, other) => {
    const { cases, counts } = await benchmarkOf({ ...one, ...other })
    expect([cases?.length, counts?.used]).toEqual([2, 4])
  })
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['nothing is known of one', arms('eval-1', { eval_id: 1 }, { total_tokens: 500 }), arms('totals')],
    ['a time was rounded', arms('x', {}, { duration_ms: 9230 }), arms('y', {}, { duration_seconds: 9.2 })],
    [
      'the ids of the metadata are alike, and a folder counts from 0',
      { ...arms('eval-0'), 'eval-0/eval_metadata.json': { eval_id: 1, eval_name: 'sum' } },
      { ...arms('copy'), 'copy/eval_metadata.json': { eval_id: 1, prompt: 'Add up.' } },
    ],
    [
      'an id is a text in one of the metadata',
      { ...arms('eval-1'), 'eval-1/eval_metadata.json': { eval_id: '1', eval_name: 'sum' } },
      { ...arms('copy/eval-1'), 'copy/eval-1/eval_metadata.json': { eval_id: 1, eval_name: 'sum' } },
    ],
    [
      'one has two names, and the other one of them',
      { ...arms('x', { eval_name: 'Add-Up' }), 'x/eval_metadata.json': { eval_name: 'sum' } },
      arms('y', { eval_name: 'Add-Up' }),
    ],
    ['all that is known is alike', arms('x/eval-1', { eval_id: 1 }), arms('y/eval-1', { eval_id: 1 })],
  ])('are one where %s', async (_, one, other) => {
    const { cases, counts } = await benchmarkOf({ ...one, ...other })
    expect([cases?.length, counts?.used]).toEqual([1, 2])
  })
  test('runs of one case that differ in their time are two', async () => {
    const metadata = { eval_id: 1, prompt: 'Add up.' }
    const files = {
      ...arms('x', {}, { total_tokens: 500 }),
      ...arms('y', {}, { total_tokens: 700 }),
      'x/eval_metadata.json': metadata,
      'y/eval_metadata.json': metadata,
    }
    expect((await runsOf(files)).filter((run) => run.startsWith('with_'))).toEqual([
      'with_skill 1/1 2/2',
      'with_skill 1/2 2/2',
    ])
  })
})

describe('a file for each case in the folder of its configuration', () => {
  const files = {
    'with_skill/eval-1-grading.json': graded(2, 2, 'a'),
    'with_skill/eval-1-timing.json': { total_tokens: 500 },
    'with_skill/eval-10-grading.json': graded(1, 2, 'b'),
    'without_skill/eval-1-grading.json': graded(0, 2, 'c'),
  }
  test('is read, with the times beside it', async () => {
    expect(await runsOf(files)).toEqual(['with_skill 1/1 2/2', 'without_skill 1/1 0/2', 'with_skill 10/1 1/2'])
    expect((await benchmarkOf(files)).runs.map(({ result }) => result.tokens)).toEqual([500, undefined, undefined])
  })
  test.each(['eval-1-run-2', 'eval-1.run2'])('%s is run 2 of its case, with its times', async (name) => {
    const { runs } = await benchmarkOf({
      ...files,
      [`with_skill/${name}-grading.json`]: graded(0, 2, 'd'),
      [`with_skill/${name}-timing.json`]: { total_tokens: 700 },
    })
    expect(runs.map(({ eval_id, run_number, result }) => [eval_id, run_number, result.passed, result.tokens])).toEqual([
      [1, 1, 2, 500],
      [1, 2, 0, 700],
      [1, 1, 0, undefined],
      [10, 1, 1, undefined],
    ])
  })
  test.each([
    'with_skill/totals-grading.json',
    'eval-1/with_skill/run-2-grading.json',
    'eval-3/grading-of-it/final-grading.json',
  ])('%s is passed over and named beside what is read', async (file) => {
    const { problems, counts } = await benchmarkOf({ ...files, [file]: graded(1, 2, 'e') })
    expect(problems).toEqual([{ file, message: expect.stringContaining('skipped') }])
    expect(counts?.used).toBe(3)
  })
  test.each([
    ['eval-1/with_skill/grading.json', 'eval-1/with_skill/eval-1-grading.json'],
    ['with_skill/eval-1/grading.json', 'with_skill/eval-1-grading.json'],
  ])('beside %s, %s is a copy or is named', async (own, file) => {
    const [problem] = (await benchmarkOf({ [own]: graded(2, 2, 'a'), [file]: graded(0, 2) })).problems ?? []
    expect(problem?.file).toBe(file)
    expect((await benchmarkOf({ [own]: graded(2, 2, 'a'), [file]: graded(2, 2, 'a') })).problems).toBeUndefined()
  })
  test('nothing is named of what is read, graded again, or made by the agent', async () => {
    const more = {
      'eval-2/with_skill/grading.json': graded(1, 2, 'e'),
      'eval-2/with_skill/grading-again-1.json': graded(1, 2, 'e'),
      'eval-2/with_skill/outputs/my-grading.json': graded(0, 1),
    }
    expect((await benchmarkOf({ ...files, ...more })).problems).toBeUndefined()
  })
  test('is named where nothing can be read', async () =>
    expect(
      benchmarkOf({ 'with_skill/final-grading.json': graded(1, 1), 'x/eval-2-grading.json': graded(1, 1) }),
    ).rejects.toThrow('no graded runs found (skipped: with_skill/final-grading.json, x/eval-2-grading.json)'))
})

test.each([
  ['pdf_with_skill', 'pdf_without_skill', 'candidate-x'],
  ['with_skill', 'without_skill', 'new-skill-from-scratch'],
])('%s and %s with a case %s in each are the two arms of one case', async (candidate, baseline, name) =>
  expect(
    await runsOf({
      [`${candidate}/${name}/grading.json`]: graded(2, 2, 'a'),
      [`${baseline}/${name}/grading.json`]: graded(0, 2, 'b'),
    }),
  ).toEqual([`${candidate} 1/1 2/2`, `${baseline} 1/1 0/2`]),
)

test('a case whose name has a configuration in it is none', async () =>
  expect(
    await runsOf({
      'create-new-skill/candidate-v1/grading.json': graded(2, 2, 'a'),
      'create-new-skill/baseline-v1/grading.json': graded(1, 2, 'b'),
    }),
  ).toEqual(['candidate-v1 1/1 2/2', 'baseline-v1 1/1 1/2']))

test('a configuration that is spelled in two ways is one', async () =>
  expect(
    await runsOf({
      'eval-1/With-Skill/grading.json': graded(2, 2, 'a'),
      'eval-1/without_skill/grading.json': graded(1, 2, 'b'),
      'eval-2/with_skill/grading.json': graded(0, 2, 'c'),
    }),
  ).toEqual(['with_skill 1/1 2/2', 'without_skill 1/1 1/2', 'with_skill 2/1 0/2']))
