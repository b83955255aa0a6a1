/** Notes on another tool's folder: sentences, and at most six with those on its runs. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import { runMain } from '../../cli/run_main.ts'
import { folderOf, graded } from '../../store/foreign/folder.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: {}, drain: never, signal: never, now: () => new Date('2026-01-15T10:30:00Z') }
const run = (folder: string) =>
  aggregateAgain({ folder, candidate: null, baseline: null, force: false, agentskills: null }, context)

describe('notes on a folder of another tool', () => {
  const runs = (configuration: string, evals: number) =>
    Object.fromEntries(
      Array.from({ length: evals }, (_, at) => [
        `eval-${at + 1}/${configuration}/run-1/grading.json`,
        { ...graded(1, 2), summary: { passed: 2, failed: 0, total: 2, pass_rate: 1 } },
      ]),
    )
  const many = {
    ...runs('model_a', 2),
    ...runs('model_b', 2),
    ...runs('model_c', 2),
    ...runs('model_d', 1),
    'benchmark.json': { run_summary: { model_a: { pass_rate: 0.9, time_seconds: 3 }, model_b: { pass_rate: 0.9 } } },
  }
  test('are sentences with a full stop', async () => {
    const { benchmark } = await run(folderOf({ ...many, 'eval-3/model_a/grading.json': '{' }))
    expect(benchmark.notes.length).toBeGreaterThan(4)
    for (const note of benchmark.notes) expect(note).toMatch(/\.$/)
  })
  test('are six at most, together with those on its runs: files that cannot be read are counted', async () => {
    const broken = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((id) => [`eval-${id}/model_b/run-2/grading.json`, '{']))
    const folder = folderOf({ ...many, ...broken })
    const { benchmark, paths } = await run(folder)
    expect(benchmark.problems).toHaveLength(7)
    expect(benchmark.notes).toHaveLength(6)
    const expected = [
      /^Left out: 7 files, such as eval-1\/model_b\/run-2\/grading.json: line 1:2: .*\. All are in benchmark.json, under problems\.$/,
      /^7 gradings contradict themselves/,
      /^The names model_a and model_b do not show which is the baseline/,
      /^The configurations model_c \(2 runs\) and model_d \(1 run\) are excluded from every number: only model_a and model_b are compared\.$/,
      /^The existing benchmark.json has pass_rate 0.9 for model_a.* \(2 more means differ\)\.$/,
      /^7 of 11 planned runs are not in the rates/,
    ]
    expect(benchmark.notes).toEqual(expected.map((note) => expect.stringMatching(note)))
    const [, notes = ''] = readFileSync(paths.markdown, 'utf8').split('## Notes')
    expect(notes.split('\n## ')[0]?.match(/^- /gm)).toHaveLength(6)
    const { stdout } = await runMain(['aggregate', folder])
    expect(stdout.match(/^- /gm)).toHaveLength(6)
    expect(stdout).not.toContain('more notes')
  })
  test('name each file while all notes fit', async () => {
    const files = { ...runs('model_a', 1), 'eval-2/model_a/grading.json': '{', 'eval-3/model_a/grading.json': '{' }
    const { notes } = (await run(folderOf(files))).benchmark
    expect(notes.filter((note) => note.startsWith('Left out: eval-'))).toHaveLength(2)
  })
})
