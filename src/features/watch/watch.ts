/** watch: keeps the level of a skill and compares a few fresh runs with it each night. One call is one night. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { watchBaseline as baselineSchema, type Watch, type WatchBaseline } from '../../../schemas/watch.ts'
import { IncompleteError, UserError } from '../../base/errors/error.ts'
import { sha256 } from '../../base/json/json.ts'
import { bench, planBench } from '../../flows/bench/bench.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { isBenchmarkComplete } from '../../flows/report/benchmark_ending.ts'
import { readOwnBenchmark } from '../../flows/report/summarize.ts'
import { lockBenchmark, removeEmptyFoldersAtEnd, reportForeignResults } from '../../flows/workspace/benchmark_lock.ts'
import { runPassRate } from '../../phases/4-report/benchmark/run_pass_rate.ts'
import { findSigner, type ResultSigner, writeSigned } from '../../store/signing/signer.ts'
import { listBenchmarks, readOwnPlan } from '../../store/store.ts'
import { planBaseline, planNight } from './night_plan.ts'
import { createWatchBench, locateWatch, prepareWatch, refuseOtherModel } from './prepare_watch.ts'
import type { Dismissal, WatchRequest, WatchResult } from './watch_request.ts'
import {
  archiveWatch,
  assessNights,
  readWatch,
  refuseForeignWatch,
  startWatch,
  type WatchPaths,
  writeWatch,
} from './watch_state.ts'

type Prepared = Awaited<ReturnType<typeof prepareWatch>>

/** Throws UserError or IncompleteError before any paid call, IncompleteError if a limit or failures left nothing that counts. */
export async function watch(request: WatchRequest, context: FlowContext): Promise<WatchResult> {
  const place = await prepareWatch(request, context)
  const { paths } = place
  await using _empty = removeEmptyFoldersAtEnd(paths.folder)
  await mkdir(paths.folder, { recursive: true })
  await using lock = await lockBenchmark(paths.folder, context)
  const signer = findSigner(context.env)
  const kept = await readWatch(paths, signer) // another watch may have written it before the lock
  if (kept === null || request.rebaseline) return await runBaseline(request, place, lock.context)
  refuseForeignWatch(kept, paths)
  const watched = request.dismiss === null ? kept.watch : await dismissAlarm(kept, request.dismiss, { paths, signer })
  const before = { folder: paths.folder, page: paths.page, baseline: kept.baseline }
  if (request.dismiss !== null || watched.status === 'alarm') return { ...before, watch: watched, did: 'nothing' }
  const last = watched.nights.at(-1)?.model ?? kept.baseline.model
  if (last !== kept.baseline.model) refuseOtherModel(kept.baseline.model, last, paths.folder)
  const now = await runNight(request, { paths, baseline: kept.baseline, watched }, lock.context)
  return { ...before, watch: now, did: 'night' }
}

/** Where it stands; runs and writes nothing. Throws UserError without a baseline. */
export async function readWatchStatus(request: WatchRequest, context: FlowContext): Promise<WatchResult> {
  const { paths, kept } = await locateWatch(request, context)
  if (kept === null) throw new UserError(`${paths.folder}: no baseline yet`, 'run the same command without --status')
  if (!kept.isOwn) reportForeignResults({ place: paths.folder, what: 'a baseline' }, context)
  const { baseline, watch: watched } = kept
  return { folder: paths.folder, page: paths.page, baseline, watch: watched, did: 'nothing' }
}

async function runBaseline(
  request: WatchRequest,
  { paths, subject, cases, rule }: Prepared,
  context: FlowContext,
): Promise<WatchResult> {
  const reshape = planBaseline
  const { benchmark, folder } = await runFresh(request, { paths, runs: request.baselineRuns, reshape }, context)
  const left = benchmark.counts === undefined ? 0 : benchmark.counts.planned - benchmark.counts.used
  if (benchmark.complete !== true)
    throw new IncompleteError(
      `${folder}: the baseline misses ${left} of its runs${explainFailure(benchmark)}`,
      'the same command runs only these',
    )
  const baseline: WatchBaseline = {
    schema_version: 1,
    created_at: context.now().toISOString(),
    of: subject,
    model: benchmark.metadata.executor_model,
    cases: cases.map(({ eval_id, eval_name }) => ({ eval_id, eval_name })),
    runs: listScores(benchmark),
    seed: Number.parseInt(sha256(`${subject.skill.sha256} ${folder}`).slice(0, 8), 16),
    folder: path.relative(paths.folder, folder),
    cost_usd: totalCost(benchmark),
  }
  await archiveWatch(paths, context.now())
  const watched = startWatch(rule)
  const signer = findSigner(context.env)
  await writeWatch(paths, { baseline, watch: watched, signer })
  await writeSigned(baselineSchema, { file: paths.baseline }, { value: baseline, signer }) // last: with it the watch has begun
  return { folder: paths.folder, page: paths.page, baseline, watch: watched, did: 'baseline' }
}

async function runNight(
  request: WatchRequest,
  { paths, baseline, watched }: { paths: WatchPaths; baseline: WatchBaseline; watched: Watch },
  context: FlowContext,
): Promise<Watch> {
  const size = request.runsPerNight
  const before = watched.nights.reduce((sum, { planned }) => sum + planned, 0)
  const after = Math.ceil(baseline.runs.length / baseline.cases.length)
  const runs = Math.ceil(size / baseline.cases.length)
  const reshape = (plan: Plan) => planNight(plan, { before, size, after })
  const { benchmark, folder } = await runFresh(request, { paths, runs, reshape }, context)
  const found = listScores(benchmark)
  if (found.length === 0)
    throw new IncompleteError(
      `${folder}: no run of the night has a grade${explainFailure(benchmark)}`,
      'the same command runs the night again',
    )
  const model = benchmark.metadata.executor_model
  const night = {
    at: context.now().toISOString(),
    folder: path.relative(paths.folder, folder),
    planned: size,
    runs: found,
    model,
    cost_usd: totalCost(benchmark),
    ...(model !== baseline.model && { left_out: `another model than the baseline's (${baseline.model})` }),
  }
  const now = assessNights(baseline, watched, [...watched.nights, night])
  await writeWatch(paths, { baseline, watch: now, signer: findSigner(context.env) })
  if (model !== baseline.model) refuseOtherModel(baseline.model, model, paths.folder)
  return now
}

/**
 * The runs of a baseline or night, never from the cache. Continues one that was interrupted, and takes one that ended without being counted.
 * Throws IncompleteError after a limit or Ctrl-C.
 */
async function runFresh(
  request: WatchRequest,
  { paths, runs, reshape }: { paths: WatchPaths; runs: number; reshape: (plan: Plan) => Plan },
  context: FlowContext,
): Promise<{ benchmark: Benchmark; folder: string }> {
  const asked = createWatchBench(request, { runs, reshape, workspace: paths.folder })
  const { plan } = await planBench(asked, context)
  const open = await findUncounted(paths, plan, findSigner(context.env))
  const ended = open !== null && (await isBenchmarkComplete(open)) ? await readOwnBenchmark(open, context) : null
  if (open !== null && ended !== null) return { folder: open, benchmark: ended }
  const { benchmark, folder } = await bench({ ...asked, fresh: open === null }, context)
  const { stopped } = benchmark.metadata
  if (context.drain.aborted || stopped !== undefined)
    throw new IncompleteError(
      `${folder}: ${stopped?.reason ?? 'interrupted'}; nothing is counted yet`,
      'the same command continues where it stopped',
    )
  return { benchmark, folder }
}

/** The newest benchmark of the plan that neither the baseline nor a night counts; null: there is none. */
async function findUncounted(paths: WatchPaths, plan: Plan, signer: ResultSigner): Promise<string | null> {
  const kept = await readWatch(paths, signer)
  const last = kept?.watch.nights.at(-1)?.folder ?? kept?.baseline.folder
  const newest = last === undefined ? '' : path.basename(last)
  const folders = await listBenchmarks(paths.folder, 'nights')
  for (const folder of folders) {
    if (path.basename(folder) === newest) return null // it and all older ones are counted
    const other = await readOwnPlan(folder, signer)
    if (other?.plan_id === plan.plan_id) return folder
  }
  return null
}

async function dismissAlarm(
  { baseline, watch: watched }: { baseline: WatchBaseline; watch: Watch },
  how: Dismissal,
  { paths, signer }: { paths: WatchPaths; signer: ResultSigner },
): Promise<Watch> {
  if (watched.status !== 'alarm')
    throw new UserError('--dismiss without an alarm', 'run the same command without --dismiss')
  const since = watched.since ?? watched.nights.length
  const nights = watched.nights.map((night, at) => ({
    ...night,
    ...(how === 'fixed' && at + 1 >= since && { left_out: 'the level had fallen' }),
    ...(at === watched.nights.length - 1 && { dismissed: true as const }),
  }))
  const now = assessNights(baseline, watched, nights)
  await writeWatch(paths, { baseline, watch: now, signer })
  return now
}

function listScores(benchmark: Benchmark) {
  return benchmark.runs
    .filter(({ result }) => result.total > 0)
    .map((run) => ({ eval_id: run.eval_id, score: runPassRate(run) }))
}

function totalCost({ cost }: Benchmark): number | null {
  const { agent_usd, judge_usd, user_usd = 0 } = cost ?? { agent_usd: null, judge_usd: null }
  if (agent_usd === null || judge_usd === null || user_usd === null) return null
  return agent_usd + judge_usd + user_usd
}

function explainFailure({ excluded_runs: excluded = [] }: Benchmark): string {
  const [first] = excluded
  return first === undefined ? '' : `: ${first.message}`
}
