/** Layouts of other tools that were misread once, each with every run under its case and its configuration; and the agentskills.io dialect, written and read again. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import { writeAgentskills } from '../../../src/flows/report/write_agentskills.ts'
import { folderOf, graded } from '../../store/folder_of.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date('2026-01-15T10:30:00Z') }
const run = (folder: string, agentskills: string | null) =>
  aggregateAgain({ folder, candidate: null, baseline: null, force: false, agentskills }, context)
const readJson = (...names: string[]) => JSON.parse(readFileSync(path.join(...names), 'utf8'))
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()

const filesAndFolders = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

const source = {
  'eval-1-totals/eval_metadata.json': { eval_id: 1, eval_name: 'Totals: march', prompt: 'Add up.' },
  'eval-1-totals/with_skill/run-1/grading.json': graded(2, 2, 'a'),
  'eval-1-totals/with_skill/run-1/timing.json': { total_tokens: 5000, total_duration_seconds: 12.5 },
  'eval-1-totals/with_skill/run-1/outputs/a/answer.txt': 'done',
  'eval-1-totals/with_skill/run-1/outputs/metrics.json': '{}',
  'eval-1-totals/old_skill/run-1/grading.json': graded(1, 2, 'b'),
  'eval-1-totals/old_skill/run-1/timing.json': { total_tokens: 3000, total_duration_seconds: 10 },
}

async function exported(files: Record<string, unknown> = source) {
  const folder = folderOf(files)
  const target = path.join(path.dirname(folder), 'out')
  return { target, ...(await run(folder, target)) }
}

describe('the agentskills.io dialect', () => {
  test('has no run level, and the outputs of the agent', async () => {
    expect(filesOf((await exported()).target)).toEqual(
      'benchmark.json eval-totals-march/old_skill/grading.json eval-totals-march/old_skill/timing.json eval-totals-march/with_skill/grading.json eval-totals-march/with_skill/outputs/a/answer.txt eval-totals-march/with_skill/timing.json'.split(
        ' ',
      ),
    )
  })
  test('verdicts with their summary, tokens and milliseconds', async () => {
    const { target } = await exported()
    expect(readJson(target, 'eval-totals-march/old_skill/grading.json')).toEqual({
      assertion_results: [
        { text: 'statement 1', passed: true, evidence: 'b, line 1' },
        { text: 'statement 2', passed: false, evidence: 'b, line 2' },
      ],
      summary: { passed: 1, failed: 1, total: 2, pass_rate: 0.5 },
    })
    const timing = { total_tokens: 5000, duration_ms: 12500 }
    expect(readJson(target, 'eval-totals-march/with_skill/timing.json')).toEqual(timing)
  })
  test('a numeric delta, candidate minus baseline', async () => {
    const { run_summary } = readJson((await exported()).target, 'benchmark.json')
    expect(run_summary.with_skill).toEqual({
      pass_rate: { mean: 1, stddev: 0 },
      time_seconds: { mean: 12.5, stddev: 0 },
      tokens: { mean: 5000, stddev: 0 },
    })
    expect(run_summary.delta).toEqual({ pass_rate: 0.5, time_seconds: 2.5, tokens: 2000 })
  })
  test('unknown time and tokens are left out', async () => {
    const { target } = await exported({ 'x/with_skill/grading.json': graded(1, 1) })
    expect(filesOf(target)).toEqual(['benchmark.json', 'eval-x/with_skill/grading.json'])
  })
  test.each([
    [
      'reviews of runs',
      { reviews: [{ run_id: 'eval-1-totals-with_skill-run-1', feedback: 'fine', timestamp: '' }], status: 'complete' },
    ],
    ['a flat map', { 'eval-totals-march': 'fine' }],
  ])('a feedback map, from %s', async (_, feedback) => {
    const { target } = await exported({ ...source, 'feedback.json': feedback })
    expect(readJson(target, 'feedback.json')).toEqual({ 'eval-totals-march': 'fine' })
  })
  test.each([
    ['no JSON', '{"eval-totals-march": "fine" "x"}', 'line 1:30: not valid JSON', null],
    ['an odd entry', { 'eval-totals-march': 'fine', other: 3 }, 'other is not text', { 'eval-totals-march': 'fine' }],
  ])('a damaged feedback.json (%s) is named, and the rest is written', async (_, feedback, why, said) => {
    const { target, benchmark } = await exported({ ...source, 'feedback.json': feedback })
    expect(benchmark.problems).toEqual([{ file: 'feedback.json', message: expect.stringContaining(why) }])
    expect(benchmark.notes).toContainEqual(expect.stringContaining(`Left out: feedback.json: ${why}`))
    expect(benchmark.complete).toBe(false)
    const file = path.join(target, 'feedback.json')
    expect(existsSync(file) ? readJson(file) : null).toEqual(said)
    expect(filesOf(target)).toContain('eval-totals-march/with_skill/grading.json')
    expect(readdirSync(path.dirname(target)).sort()).toEqual(['out', 'tidy-workspace'])
  })
  test('names lead nowhere else, and two of one name are told apart', async () => {
    const grading = { runs: [{ configuration: '../../up', expectations: graded(1, 1).expectations }] }
    const named = { eval_name: '../../same' }
    const { target } = await exported({
      'a/grading.json': { ...grading, ...named },
      'b/grading.json': { ...grading, ...named },
    })
    expect(filesOf(target)).toEqual(['benchmark.json', 'eval-1-same/up/grading.json', 'eval-2-same/up/grading.json'])
  })
  test('read again it says the same', async () => {
    const { target, benchmark } = await exported()
    const again = (await run(target, null)).benchmark
    expect(again.run_summary).toEqual(benchmark.run_summary)
    expect(again.notes).toContainEqual(expect.stringMatching(/agrees with this one \(6 means compared\)/))
  })
  test.each([
    ['counts', { passed: 4, total: 4 }, { passed: 1, total: 4 }],
    ['a rate', { pass_rate: 1 }, { pass_rate: 0.25 }],
  ])('gradings that hold %s alone are read again as they were', async (_what, own, other) => {
    const { target, benchmark } = await exported({
      'eval-1/with_skill/grading.json': { summary: own },
      'eval-1/without_skill/grading.json': { summary: other },
    })
    const again = (await run(target, null)).benchmark
    expect([again.run_summary, again.counts]).toEqual([benchmark.run_summary, benchmark.counts])
    expect(again.runs.map(({ result }) => result)).toEqual(benchmark.runs.map(({ result }) => result))
    expect(again.complete).toBe(true)
  })
})

describe('the target', () => {
  test('must be empty', async () => {
    const target = folderOf({ 'mine.txt': 'x' })
    await expect(run(folderOf(source), target)).rejects.toThrow('not empty')
    expect(filesOf(target)).toEqual(['mine.txt'])
  })
  test('must lie outside', async () => {
    const folder = folderOf(source)
    await expect(run(folder, path.join(folder, 'out'))).rejects.toThrow('is inside the benchmark')
    expect(existsSync(path.join(folder, 'benchmark.json'))).toBe(false)
  })
  test.each([
    ['a new one', false],
    ['an empty one', true],
  ])('%s appears whole or not at all, and the next attempt is not in its way', async (_, isThere) => {
    const made = await run(folderOf(source), null)
    const target = path.join(folderOf({}), '..', 'out')
    mkdirSync(isThere ? target : path.dirname(target), { recursive: true })
    const before = filesAndFolders(path.dirname(target))
    const expectations = [{ text: 'a number that JSON does not know', passed: true, evidence: 1n }]
    const unwritable = { ...made.benchmark, runs: made.benchmark.runs.map((one) => ({ ...one, expectations })) }
    await expect(writeAgentskills({ ...made, benchmark: unwritable as never }, target)).rejects.toThrow('BigInt')
    expect(filesAndFolders(path.dirname(target))).toEqual(before)
    await writeAgentskills(made, target)
    expect(filesOf(target)).toContain('benchmark.json')
    expect(readdirSync(target).sort()).toEqual(['benchmark.json', 'eval-totals-march'])
  })
  test('where one of its parts can not be moved in, none is', async () => {
    const made = await run(folderOf({ ...source, 'feedback.json': { 'eval-totals-march': 'fine' } }), null)
    // laid there after the check, in the place of the last part but one
    const target = folderOf({ 'feedback.json/mine.txt': 'x' }, 'out')
    await expect(writeAgentskills(made, target)).rejects.toThrow('feedback.json')
    expect(filesAndFolders(target)).toEqual(['feedback.json', 'feedback.json/mine.txt'])
    rmSync(path.join(target, 'feedback.json'), { recursive: true })
    await writeAgentskills(made, target)
    expect(readdirSync(target).sort()).toEqual(['benchmark.json', 'eval-totals-march', 'feedback.json'])
  })
  test('must lead somewhere, and nothing is written before that is known', async () => {
    const folder = folderOf(source)
    const link = path.join(folderOf({ 'keep.txt': '' }), 'link')
    symlinkSync('gone', link)
    await expect(run(folder, link)).rejects.toThrow(`--output "${link}": a broken link`)
    expect(existsSync(path.join(folder, 'benchmark.json'))).toBe(false)
  })
})

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
    ['by the names of their folders', arms('eval-1', { eval_id: 1 }, { total_tokens: 500 }), arms('totals')],
    ['by their tokens', arms('x', {}, { total_tokens: 500 }), arms('y', {}, { total_tokens: 501 })],
  ])('are two where they differ %s', async (_, one, other) => {
    const { cases, counts } = await benchmarkOf({ ...one, ...other })
    expect([cases?.length, counts?.used]).toEqual([2, 4])
  })
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a time was rounded', arms('x', {}, { duration_ms: 9230 }), arms('y', {}, { duration_seconds: 9.2 })],
    [
      'the ids of the metadata are alike, and a folder counts from 0',
      { ...arms('eval-0'), 'eval-0/eval_metadata.json': { eval_id: 1, eval_name: 'sum' } },
      { ...arms('copy'), 'copy/eval_metadata.json': { eval_id: 1, prompt: 'Add up.' } },
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

test('a configuration that is spelled in two ways is one', async () =>
  expect(
    await runsOf({
      'eval-1/With-Skill/grading.json': graded(2, 2, 'a'),
      'eval-1/without_skill/grading.json': graded(1, 2, 'b'),
      'eval-2/with_skill/grading.json': graded(0, 2, 'c'),
    }),
  ).toEqual(['with_skill 1/1 2/2', 'without_skill 1/1 1/2', 'with_skill 2/1 0/2']))
