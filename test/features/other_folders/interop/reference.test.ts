/** Our numbers against those of skill-creator's aggregator: golden ones of a folder, and its formula on runs of ours. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { toForeignFields } from '../../../../src/features/other_folders/pick_values.ts'
import { referenceNumbers } from '../../../../src/features/other_folders/tree.ts'
import { demo } from '../../../../src/features/practice/demo/command.ts'
import { aggregateAgain } from '../../../../src/flows/aggregate/aggregate.ts'
import { folderOf } from '../../../store/folder_of.ts'

const never = new AbortController().signal
const context = { emit: () => {}, env: { ...process.env }, drain: never, signal: never, now: () => new Date() }
const readJson = (...names: string[]) => JSON.parse(readFileSync(path.join(...names), 'utf8'))
/** What its aggregate_benchmark.py says of folder.json; `npm run interop -- DIR --update` writes it. */
const golden = readJson(import.meta.dirname, 'reference.json')

test('a folder with old_skill before with_skill: every statistic equal, the sign of the delta turned', async () => {
  const folder = folderOf(readJson(import.meta.dirname, 'folder.json'))
  const { benchmark } = await aggregateAgain(
    { folder, candidate: null, baseline: null, force: false, agentskills: null },
    context,
  )
  const { delta, ...arms } = benchmark.run_summary
  expect(arms).toEqual({ with_skill: golden.with_skill, old_skill: golden.old_skill })
  expect([golden.delta.pass_rate, delta?.pass_rate]).toEqual(['-0.40', '+0.40'])
  expect([golden.delta.tokens, delta?.tokens]).toEqual(['-2442', '+2442'])
})

test('its numbers of each run of ours are ours', async () => {
  const workspace = folderOf({ 'keep.txt': '' }, 'demo')
  const { folder, plan, benchmark } = await demo({ runs: 1, concurrency: 4, skill: null, workspace }, context)
  expect(plan.runs.length).toBe(8)
  for (const { run_id, eval_id, configuration } of plan.runs) {
    const run = benchmark.runs.find((one) => one.eval_id === eval_id && one.configuration === configuration)
    const grading = toForeignFields(readJson(folder, run_id, 'grading.json')) ?? {}
    const theirs = referenceNumbers(grading, readJson(folder, run_id, 'timing.json'))
    expect(theirs.pass_rate).toBe((run?.result.passed ?? 0) / (run?.result.total ?? 1))
    expect([theirs.time_seconds, theirs.tokens]).toEqual([run?.result.time_seconds, run?.result.tokens])
    expect(theirs.tokens).toBeGreaterThan(0)
  }
})
