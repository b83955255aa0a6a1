import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import { writeAgentskills } from '../../../src/flows/report/write_agentskills.ts'
import { folderOf, graded } from '../../store/foreign/folder.ts'

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
    expect(filesOf((await exported()).target)).toEqual([
      'benchmark.json',
      'eval-totals-march/old_skill/grading.json',
      'eval-totals-march/old_skill/timing.json',
      'eval-totals-march/with_skill/grading.json',
      'eval-totals-march/with_skill/outputs/a/answer.txt',
      'eval-totals-march/with_skill/timing.json',
    ])
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
  test('may be a link to an empty folder', async () => {
    const link = path.join(folderOf({ 'keep.txt': '' }), 'link')
    mkdirSync(path.join(link, '../empty'))
    symlinkSync('empty', link)
    await run(folderOf(source), link)
    expect(existsSync(path.join(link, 'benchmark.json'))).toBe(true)
  })
})
