/** A plan with its estimated cost and time, for --dry-run and for the question before a long or expensive benchmark. */
import { existsSync } from 'node:fs'
import type { CacheExplanation } from '../../../schemas/cache_report.ts'
import { IncompleteError } from '../../base/errors/error.ts'
import { chooseRunsAgain } from '../../phases/4-report/benchmark/older_runs/runs_again.ts'
import {
  ageText,
  countLooks,
  type RunOrigin,
  readOrigin,
  usualBaselineAge,
} from '../../phases/4-report/benchmark/older_runs/stale_runs.ts'
import { alphaOfLook } from '../../phases/4-report/benchmark/provenance.ts'
import { listRunsSetAside, readOlderRuns } from '../../store/artefacts/older_runs.ts'
import { cachePaths } from '../../store/cache/cache.ts'
import { isRunDone } from '../../store/run_folders.ts'
import { readRuns } from '../../store/store.ts'
import type { DetectableDifference, RequiredSampleSize } from '../estimate/estimate_bench.ts'
import {
  computeDetectableDifference,
  computeRequiredSampleSize,
  type Estimate,
  estimateBench,
} from '../estimate/estimate_bench.ts'
import type { FlowContext } from '../flow_context.ts'
import { foreseeStop, resolveSharedLimits } from '../limits/limited_bench.ts'
import { findStaleInPlan, listDrifted } from '../older_runs/reuse_concurrent_runs.ts'
import { attemptStep, type StartRefusal } from '../prepare/preflight.ts'
import type { BenchRequest, PreparedBench } from '../prepare/prepare_bench.ts'
import { findUnfinishedBench, foreseeBench, type ReviewedBench } from './foresee_bench.ts'

export interface EstimatedPlan extends ReviewedBench {
  /** Why the real start would be refused, first reason first; empty: it would start. */
  refusals: StartRefusal[]
  estimate: Estimate
  detectable: DetectableDifference
  /** null: no difference was requested. */
  needed: RequiredSampleSize | null
  /** For each run, whether the cache has it; null: there is no cache yet. */
  cache: CacheExplanation[] | null
}

/** Starts nothing that costs and writes nothing. Throws UserError. */
export async function planWithEstimate(request: BenchRequest, context: FlowContext): Promise<EstimatedPlan> {
  return await foreseeBench(request, context, async (prepared) => {
    const found = await explainCacheIfAny(prepared, request, context)
    const folder = request.fresh ? null : await findUnfinishedBench(prepared.workspace, prepared.plan, context)
    const { again, looks } = await foreseeRunsAgain({ ...prepared, request, cache: found, folder }, context)
    const cache = found && explainRunsAgain(found, again, request.baselineAgeMs)
    const paid = prepared.plan.runs.filter(({ key }) => request.paidElsewhere?.has(key))
    const reused = new Map<string, { graded: boolean }>([
      ...(cache ?? []).flatMap((run) => (run.status === 'reused' ? [[run.run_id, run] as const] : [])),
      ...paid.map(({ run_id }) => [run_id, { graded: true }] as const),
    ])
    await attemptStep(
      (reason) => void prepared.refusals.push(reason),
      () => refuseSpentLimits(prepared, request, { folder, reused, context }),
    )
    const { design = { power: null, detect: null } } = request
    const detectable = computeDetectableDifference(prepared.plan, design.power ?? undefined, alphaOfLook(looks))
    const needed = computeRequiredSampleSize(prepared.plan, design)
    return {
      ...prepared,
      cache,
      detectable,
      needed,
      estimate: {
        ...(await estimateBench(prepared, { ...request, folder, reused, again, prices: context.prices })),
        ...(looks > 1 && { looks }),
      },
    }
  })
}

async function explainCacheIfAny(
  prepared: PreparedBench,
  request: BenchRequest,
  context: FlowContext,
): Promise<CacheExplanation[] | null> {
  if (!existsSync(cachePaths(prepared.workspace).runs)) return null
  const { explainCache } = await import('../cache/explain_misses.ts') // with all that grades: it takes long to load
  return await explainCache(prepared, request, context)
}

/** Throws IncompleteError if a budget or deadline would stop the real start before its first run. */
async function refuseSpentLimits(
  { plan, workspace }: PreparedBench,
  request: BenchRequest,
  { folder, reused, context }: { folder: string | null; reused: ReadonlyMap<string, unknown>; context: FlowContext },
): Promise<void> {
  const stop = await foreseeStop(
    { ...request, plan, folder, workspace, ...resolveSharedLimits(request) },
    reused,
    context,
  )
  if (stop !== null) throw new IncompleteError(stop.reason, 'raise the limit: the estimate says what all runs take')
}

interface ForeseeRequest extends Pick<PreparedBench, 'plan'> {
  request: Pick<BenchRequest, 'baselineAgeMs' | 'until'>
  cache: readonly CacheExplanation[] | null
  /** The unfinished benchmark that the start resumes; null: none. */
  folder: string | null
}

/** Their ids, and how often the runs will have been compared. Models and engine versions of cached runs are not compared here. */
async function foreseeRunsAgain(
  { plan, request, cache, folder }: ForeseeRequest,
  context: FlowContext,
): Promise<{ again: ReadonlySet<string>; looks: number }> {
  const origins = new Map<string, RunOrigin>()
  for (const run of cache ?? []) {
    if (run.status !== 'reused') continue
    const { at, benchmark } = run.from
    origins.set(run.run_id, { at: Date.parse(at), benchmark, model: null, version: null })
  }
  for (const { spec, stored } of folder === null ? [] : await readRuns(folder, plan.runs)) {
    if (stored !== null && isRunDone(stored, spec)) origins.set(spec.run_id, readOrigin(stored.record))
  }
  const ageMs = request.baselineAgeMs ?? usualBaselineAge
  const tests = folder === null ? [] : (readOlderRuns(folder)?.tests ?? [])
  const again = chooseRunsAgain({
    stale: findStaleInPlan(plan, { origins, ageMs, now: context.now().getTime() }),
    sampledBefore: folder === null ? [] : listRunsSetAside(folder, plan),
    drifted: listDrifted(tests),
    samples: (request.until ?? null) === null,
  })
  return {
    again: new Set(again.flatMap((one) => one.again.map(({ run }) => run.run_id))),
    looks: countLooks(plan.runs, origins),
  }
}

function explainRunsAgain(
  cache: readonly CacheExplanation[],
  again: ReadonlySet<string>,
  ageMs = usualBaselineAge,
): CacheExplanation[] {
  return cache.map((run) => {
    if (run.status !== 'reused' || !again.has(run.run_id)) return run
    const why = `the cached run of ${run.from.benchmark} is more than ${ageText(ageMs)} older than those to compare with`
    return { status: 'made', run_id: run.run_id, key: run.key, why, nearest: run.run_id, differs: [] }
  })
}
