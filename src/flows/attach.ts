/** bench --queue a second time: what the first one is at is told as if it were made here, and ends with the same benchmark; nothing is written. */

import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchmark as benchmarkSchema } from '../../schemas/benchmark.ts'
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import { IncompleteError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { readJson } from '../base/json.ts'
import { redactorFor } from '../base/redact.ts'
import { holderOf } from '../store/lease.ts'
import type { Owner } from '../store/owner.ts'
import { benchmarkPaths, runPaths } from '../store/paths.ts'
import { readPlan, readRun } from '../store/store.ts'
import { collectionOf } from './calibrations.ts'
import type { FlowContext } from './context.ts'
import { isDone } from './execute.ts'
import { planReady } from './plan_ready.ts'
import { gradeFinished, runFinished } from './run_events.ts'
import { RunFolders } from './run_folders.ts'
import { type BenchResult, isComplete } from './summarize.ts'

const pauseMs = 500

/**
 * Resolves when whoever works on the benchmark has ended. null: nobody does (any more), and it is not whole: go on there yourself.
 * Rejects with the abort reason when this one is to stop, which the other does not notice.
 */
export async function attach(folder: string, choices: string[], context: FlowContext): Promise<BenchResult | null> {
  const watching = { signal: AbortSignal.any([context.signal, context.drain]) }
  const first = await holderOf(folder, watching)
  if (first === null || first === 'gone') return (await isComplete(folder)) ? await resultIn(folder, context) : null
  const plan = await readPlan(folder)
  const news = await newsOf(folder, plan)
  const attached = [
    ...choices,
    `attached to process ${first.pid} on ${first.host}, which makes it; Ctrl-C here leaves that alone`,
  ]
  context.emit(await planReady(folder, { plan, choices: attached }))
  for (let holder: Owner | 'gone' | null = first; ; holder = await holderOf(folder, watching)) {
    await tellNews(news, folder, context)
    if (holder === 'gone') return null
    if (holder === null) return await resultIn(folder, context)
    await sleep(pauseMs, undefined, watching).catch(() => {})
    watching.signal.throwIfAborted()
  }
}

/** What was told of a run: when the record ended that lay there, and whether it was graded. */
interface Told {
  endedAt: string | null
  isGraded: boolean
}

async function newsOf(folder: string, { runs }: Plan): Promise<Map<RunSpec, Told>> {
  const open = new Map<RunSpec, Told>()
  for (const spec of runs) {
    const stored = await readRun(folder, spec.run_id)
    const isGraded = (stored?.grading ?? null) !== null
    if (stored !== null && isGraded && isDone(stored, spec)) continue
    open.set(spec, { endedAt: stored?.record.ended_at ?? null, isGraded })
  }
  return open
}

/** Of each run that is new or made anew since the last look, and of each grading; what is done for good is looked at no more. */
async function tellNews(news: Map<RunSpec, Told>, folder: string, context: FlowContext): Promise<void> {
  for (const [spec, told] of news) {
    if (!existsSync(runPaths(folder, spec.run_id).record)) continue
    const stored = await readRun(folder, spec.run_id)
    if (stored === null || stored.record.key !== spec.key) continue
    const { record, grading } = stored
    if (record.ended_at !== told.endedAt) {
      context.emit(runFinished(spec, record))
      told.endedAt = record.ended_at
      told.isGraded = false
    }
    if (grading === null || told.isGraded) continue
    context.emit(gradeFinished(spec, grading))
    told.isGraded = true
    if (isDone(stored, spec)) news.delete(spec)
  }
}

/** What the other wrote when it ended. Throws IncompleteError where it wrote nothing, since it was stopped at once. */
async function resultIn(folder: string, context: FlowContext): Promise<BenchResult> {
  const paths = benchmarkPaths(folder)
  if (!(await exists(paths.benchmark))) {
    throw new IncompleteError(
      `${folder}: whoever made it stopped before there was a benchmark`,
      'the same command goes on',
    )
  }
  const [plan, benchmark] = [await readPlan(folder), await readJson(benchmarkSchema, paths.benchmark)]
  const complete = benchmark.complete ?? false
  const { used = 0, planned = plan.runs.length } = benchmark.counts ?? {}
  context.emit({ type: 'benchmark_written', folder, benchmark: paths.benchmark, complete, used, planned })
  const folders = new RunFolders(folder, plan.runs)
  const prompts = { cases: redactorFor(context.env).value(plan.cases) }
  const isNoise = collectionOf(plan) === 'calibrations'
  const page = await exists(paths.report)
  return { folder, plan, benchmark, paths, page, folders, prompts, ...(isNoise && { calibration: paths.calibration }) }
}
