/** A second bench whose runs execute elsewhere: reports the first one's events as its own and returns the same benchmark; writes nothing. */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { IncompleteError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { readJson } from '../../base/json/json.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import type { Owner } from '../../store/lease/lease.ts'
import { findLeaseHolder } from '../../store/lease/lease.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { isRunDone, mapRunFolders } from '../../store/run_folders.ts'
import { readPlan, readRun } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { isBenchmarkComplete } from '../report/benchmark_ending.ts'
import { chooseCollection } from '../report/calibrations.ts'
import type { BenchResult } from '../report/summarize.ts'
import { createPlanReadyEvent } from '../run/plan_ready_event.ts'
import { toGradeFinishedEvent, toRunFinishedEvent } from '../run_events.ts'

const pauseMs = 500

/**
 * Resolves when the process that works on the benchmark ends. null: no process works on it and it is incomplete, so resume it. Rejects
 * with the abort reason when this process must stop; the other process does not notice.
 */
export async function followBench(
  folder: string,
  choices: string[],
  context: FlowContext,
): Promise<BenchResult | null> {
  const watching = { signal: AbortSignal.any([context.signal, context.drain]) }
  const first = await findLeaseHolder(folder, watching)
  if (first === null || first === 'gone')
    return (await isBenchmarkComplete(folder)) ? await readBenchResult(folder, context) : null
  const plan = await readPlan(folder)
  const news = await collectUnreportedRuns(folder, plan)
  const attached = [
    ...choices,
    `attached to process ${first.pid} on ${first.host}, which runs this benchmark; Ctrl-C here does not stop it`,
  ]
  context.emit(await createPlanReadyEvent(folder, { plan, choices: attached }))
  for (let holder: Owner | 'gone' | null = first; ; holder = await findLeaseHolder(folder, watching)) {
    await reportNews(news, folder, context)
    if (holder === 'gone') return null
    if (holder === null) return await readBenchResult(folder, context)
    await sleep(pauseMs, undefined, watching).catch(() => {})
    watching.signal.throwIfAborted()
  }
}

/** What this process has reported of a run: when its record ended, and whether it was graded. */
interface ReportedState {
  endedAt: string | null
  isGraded: boolean
}

async function collectUnreportedRuns(folder: string, { runs }: Plan): Promise<Map<RunSpec, ReportedState>> {
  const open = new Map<RunSpec, ReportedState>()
  for (const spec of runs) {
    const stored = await readRun(folder, spec.run_id)
    const isGraded = (stored?.grading ?? null) !== null
    if (stored !== null && isGraded && isRunDone(stored, spec)) continue
    open.set(spec, { endedAt: stored?.record.ended_at ?? null, isGraded })
  }
  return open
}

/** Reports each run that is new or rerun since the last check, and each grading; stops checking completed runs. */
async function reportNews(news: Map<RunSpec, ReportedState>, folder: string, context: FlowContext): Promise<void> {
  for (const [spec, told] of news) {
    if (!existsSync(runPaths(folder, spec.run_id).record)) continue
    const stored = await readRun(folder, spec.run_id)
    if (stored === null || stored.record.key !== spec.key) continue
    const { record, grading } = stored
    if (record.ended_at !== told.endedAt) {
      context.emit(toRunFinishedEvent(spec, record))
      told.endedAt = record.ended_at
      told.isGraded = false
    }
    if (grading === null || told.isGraded) continue
    context.emit(toGradeFinishedEvent(spec, grading))
    told.isGraded = true
    if (isRunDone(stored, spec)) news.delete(spec)
  }
}

/** What the other process wrote when it ended. Throws IncompleteError if it stopped before writing anything. */
async function readBenchResult(folder: string, context: FlowContext): Promise<BenchResult> {
  const paths = benchmarkPaths(folder)
  if (!(await pathExists(paths.benchmark))) {
    throw new IncompleteError(
      `${folder}: the other process stopped before the benchmark was finished`,
      'continue with the same command',
    )
  }
  const [plan, benchmark] = [await readPlan(folder), await readJson(benchmarkSchema, paths.benchmark)]
  const complete = benchmark.complete ?? false
  const { used = 0, planned = plan.runs.length } = benchmark.counts ?? {}
  context.emit({ type: 'benchmark_written', folder, benchmark: paths.benchmark, complete, used, planned })
  const folders = mapRunFolders(folder, plan.runs)
  const prompts = { cases: getRedactor(context.env).value(plan.cases) }
  const isNoise = chooseCollection(plan) === 'calibrations'
  const page = await pathExists(paths.report)
  return { folder, plan, benchmark, paths, page, folders, prompts, ...(isNoise && { calibration: paths.calibration }) }
}
