/** Transcripts and outputs are removed, verdicts stay: what every reader of the benchmark says then. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { chooseSandbox, noSandboxWish } from '../../../src/base/sandbox/choose.ts'
import { aggregateAgain } from '../../../src/flows/aggregate/aggregate.ts'
import { explain } from '../../../src/flows/explain/explain.ts'
import { gradeStoredRun } from '../../../src/flows/judge/grade_stored_run.ts'
import { readJudgeDecisions } from '../../../src/flows/labels/judge_decisions.ts'
import { openAccountLimiters } from '../../../src/flows/limits/rate_limiters.ts'
import { readDetail } from '../../../src/flows/page/run_detail.ts'
import { repairBenchmark } from '../../../src/flows/workspace/repair_benchmark.ts'
import { readPlan, readRun } from '../../../src/store/store.ts'
import { runMain } from '../../cli/run_main.ts'
import { cleanWorkspace, context } from './workspace.ts'

const run = 'eval-1-sort-the-names-in-names-txt/with_skill/run-1'
const all = { olderThanMs: null, keepLast: null }

/** A benchmark with a page, before and after its transcripts are removed. */
async function removedIn() {
  const { finished, plan, ...rest } = cleanWorkspace()
  const request = { folder: finished, candidate: null, baseline: null, force: false, agentskills: null }
  const { benchmark: before } = await aggregateAgain(request, context)
  const decisions = await readJudgeDecisions(finished, await readPlan(finished))
  const done = await (await plan({ places: [finished], transcripts: all })).perform()
  return { ...rest, plan, finished, before, decisions, done, folder: path.join(finished, run) }
}

test('verdicts, numbers, page and labels stay; every reader says that the transcript was removed', async () => {
  const { finished, folder, before, decisions, done, plan } = await removedIn()
  expect(done.removals.map(({ path: place, what }) => [place, what])).toEqual([[finished, 'transcripts']])
  expect(readdirSync(folder).sort()).toEqual(['grading.json', 'outputs', 'removed.json', 'run.json', 'timing.json'])
  expect(readdirSync(path.join(folder, 'outputs'))).toEqual(['metrics.json'])
  const now = benchmark.parse(JSON.parse(readFileSync(path.join(finished, 'benchmark.json'), 'utf8')))
  expect(now.run_summary).toEqual(before.run_summary)
  expect(existsSync(path.join(finished, 'report.html'))).toBe(true)
  const sentence = 'The transcript was removed by whetstone clean on 2026-12-01, with the outputs.'
  expect(readDetail(folder)).toMatchObject({ events: null, transcript: null, removed: sentence, outputs: [] })
  const { cases } = await explain({ folder: finished, case: '1' }, context)
  expect(cases[0]?.runs[0]?.removed).toBe('the transcript was removed by whetstone clean on 2026-12-01')
  const ids = (found: typeof decisions) => found.map(({ id }) => id)
  expect(ids(decisions).length).toBeGreaterThan(0)
  expect(ids(await readJudgeDecisions(finished, await readPlan(finished)))).toEqual(ids(decisions))
  expect((await plan({ places: [finished], transcripts: all })).report.removals).toEqual([])
})

test('a run without its transcript is never graded again, and not repeated by a resume', async () => {
  const { finished, folder } = await removedIn()
  const events: FlowEvent[] = []
  const own = { ...context, emit: (event: FlowEvent) => events.push(event) }
  const plan = await readPlan(finished)
  await repairBenchmark(finished, plan, own)
  expect([existsSync(path.join(folder, 'run.json')), events]).toEqual([true, []])
  const spec = plan.runs.find(({ run_id }) => run_id === run)
  const stored = await readRun(finished, run)
  if (spec === undefined || stored === null) throw new Error('no run')
  const { grading } = stored
  using pace = openAccountLimiters(undefined, own)
  const sandbox = await chooseSandbox({ ...noSandboxWish, mode: 'off' }, '')
  const request = { plan, folder: finished, spec, passEnv: [], hidden: [], cache: null, pace, again: true }
  const end = await gradeStoredRun({ ...request, stored, sandbox }, own)
  expect(end).toEqual({ end: 'there', grading })
  // where the verdicts are gone too, only a new run can bring them back
  rmSync(path.join(folder, 'grading.json'))
  await repairBenchmark(finished, plan, own)
  expect(existsSync(path.join(folder, 'run.json'))).toBe(false)
})

test('compare names the reason, and grade keeps the verdicts', async () => {
  const { finished, folder, before } = await removedIn()
  const graded = await runMain(['grade', finished, '--anew', '--json', '--sandbox=off', '--trust-suite'], {
    cwd: path.resolve(finished, '../../../..'),
  })
  expect(graded.stdout).toContain('transcript.jsonl was removed by whetstone clean on 2026-12-01')
  expect(existsSync(path.join(folder, 'grading.json'))).toBe(true)
  const now = benchmark.parse(JSON.parse(readFileSync(path.join(finished, 'benchmark.json'), 'utf8')))
  expect(now.run_summary).toEqual(before.run_summary)
})

test('a removal that was killed half-way is readable, and the next one finishes it', async () => {
  const { finished, folder, plan } = await removedIn()
  rmSync(path.join(finished, 'report.html'))
  writeFileSync(path.join(folder, 'transcript.jsonl'), '{"cut')
  mkdirSync(path.join(finished, '.partial/eval-1__with_skill__run-1'), { recursive: true }) // of a killed benchmark
  expect((await explain({ folder: finished, case: '1' }, context)).cases).toHaveLength(1)
  await (await plan({ places: [finished], transcripts: all })).perform()
  expect(existsSync(path.join(folder, 'transcript.jsonl'))).toBe(false)
  expect([existsSync(path.join(finished, '.partial')), existsSync(path.join(finished, 'report.html'))]).toEqual([
    ...[false, true],
  ])
})
