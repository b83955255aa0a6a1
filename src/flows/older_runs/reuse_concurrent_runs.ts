/** Reuses the runs of earlier benchmarks and starts, except those too old to be compared with the runs still to come. */
import type { DriftTest } from '../../../schemas/older_runs.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { chooseRunsAgain } from '../../phases/4-report/benchmark/older_runs/runs_again.ts'
import {
  findStaleRuns,
  type RunOrigin,
  readOrigin,
  type StaleRun,
} from '../../phases/4-report/benchmark/older_runs/stale_runs.ts'
import {
  listRunsSetAside,
  readOlderRuns,
  readRunSetAside,
  removeRun,
  setRunAside,
  writeOlderRuns,
} from '../../store/artefacts/older_runs.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { announceRestoredRuns, restoreCachedRuns } from '../cache/reuse_runs.ts'
import type { RunCache } from '../cache/run_cache.ts'
import type { FlowContext } from '../flow_context.ts'

export interface ReuseRequest {
  plan: Plan
  /** The benchmark folder, absolute. */
  folder: string
  cache: RunCache | null
  /** --baseline-age in milliseconds. */
  ageMs: number
  /** Whether some runs that are too old are run again to test the others for drift; false: all are run again. */
  samples: boolean
}

/** Returns the ids of the runs that need nothing more. */
export async function reuseConcurrentRuns(request: ReuseRequest, context: FlowContext): Promise<ReadonlySet<string>> {
  const { plan, folder, ageMs } = request
  const { origins, restored } = await restoreCachedRuns(request, context)
  if (origins.size === 0) return new Set()
  const tests = readOlderRuns(folder)?.tests ?? []
  const aside = removeRunsSetAside(folder, plan, origins)
  const stale = findStaleInPlan(plan, { origins, ageMs, now: context.now().getTime() })
  const all = chooseRunsAgain({ stale, sampledBefore: aside, drifted: listDrifted(tests), samples: request.samples })
  const fresh = new Set(restored.map(({ spec }) => spec.run_id))
  for (const { configuration, older, again, tested } of all) {
    for (const { run } of again) {
      if (tested) setRunAside(folder, run.run_id)
      else removeRun(folder, run.run_id)
      origins.delete(run.run_id)
    }
    const repeated = again.filter(({ run }) => !fresh.has(run.run_id)).length
    const counts = { older, again: again.length, repeated }
    context.emit({ type: 'older_runs', configuration, tested, baseline_age_seconds: ageMs / 1000, ...counts })
  }
  const testedNow = new Set(all.map(({ configuration }) => configuration))
  const stillHold = tests.filter(({ configuration, result }) => result !== 'no_drift' || !testedNow.has(configuration))
  const file = { schema_version: 1 as const, baseline_age_seconds: ageMs / 1000, tests: stillHold }
  await writeOlderRuns(folder, file, findSigner(context.env))
  const kept = restored.filter(({ spec }) => origins.has(spec.run_id))
  return announceRestoredRuns({ restored: kept, origins }, plan, context)
}

/** After an interruption the cache restores a run that was set aside: it is removed again. Returns all runs that were set aside. */
function removeRunsSetAside(folder: string, plan: Plan, origins: Map<string, RunOrigin>): RunSpec[] {
  const aside = listRunsSetAside(folder, plan)
  for (const { run_id } of aside) {
    const older = readRunSetAside(folder, run_id)
    if (older === null || origins.get(run_id)?.at !== readOrigin(older.record).at) continue
    removeRun(folder, run_id)
    origins.delete(run_id)
  }
  return aside
}

/** Finds the runs of a plan that are too old to be compared with the others. Runs of a case without criteria are not compared. */
export function findStaleInPlan(
  { runs, cases }: Plan,
  how: { origins: ReadonlyMap<string, RunOrigin>; ageMs: number; now: number | null },
): StaleRun<RunSpec>[] {
  const graded = new Set(cases.flatMap((one) => (one.expectations.length + one.checks.length > 0 ? [one.eval_id] : [])))
  return findStaleRuns({ runs: runs.filter(({ eval_id }) => graded.has(eval_id)), ...how })
}

/** The configurations whose older results do not hold any more. */
export function listDrifted(tests: readonly DriftTest[]): ReadonlySet<string> {
  return new Set(tests.flatMap(({ configuration, result }) => (result === 'no_drift' ? [] : [configuration])))
}
