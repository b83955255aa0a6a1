/** For --dry-run: which runs that the cache or an unfinished benchmark has will be run again because they are too old. */
import type { CacheExplanation } from '../../../schemas/cache_report.ts'
import { ageText } from '../../phases/4-report/benchmark/older_runs/older_runs_text.ts'
import { chooseRunsAgain } from '../../phases/4-report/benchmark/older_runs/runs_again.ts'
import { type RunOrigin, readOrigin, usualBaselineAge } from '../../phases/4-report/benchmark/older_runs/stale_runs.ts'
import { listRunsSetAside, readOlderRuns } from '../../store/artefacts/older_runs.ts'
import { isRunDone } from '../../store/is_run_done.ts'
import { readRuns } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import type { BenchRequest, PreparedBench } from '../prepare/prepare_bench.ts'
import { findStaleInPlan, listDrifted } from './reuse_concurrent_runs.ts'

interface ForeseeRequest extends Pick<PreparedBench, 'plan'> {
  request: Pick<BenchRequest, 'baselineAgeMs' | 'until'>
  /** null: there is no cache. */
  cache: readonly CacheExplanation[] | null
  /** The unfinished benchmark that the start resumes; null: none. */
  folder: string | null
}

/** Their ids. Models and engine versions of cached runs are not compared here. */
export async function foreseeRunsAgain(
  { plan, request, cache, folder }: ForeseeRequest,
  context: FlowContext,
): Promise<ReadonlySet<string>> {
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
  return new Set(again.flatMap((one) => one.again.map(({ run }) => run.run_id)))
}

/** The explanations with these runs as run again. */
export function explainRunsAgain(
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
