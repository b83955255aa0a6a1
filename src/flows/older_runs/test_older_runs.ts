/** After the runs: tests whether older results still hold, and runs again those that do not. */
import pLimit from 'p-limit'
import type { DriftTest, OlderRunsFile } from '../../../schemas/older_runs.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import { type DriftResult, testDrift } from '../../phases/4-report/benchmark/older_runs/runs_again.ts'
import { readOrigin, type StaleRun } from '../../phases/4-report/benchmark/older_runs/stale_runs.ts'
import { rulesApply } from '../../phases/4-report/stats/scores/scored_runs.ts'
import {
  listRunsSetAside,
  readOlderRuns,
  readRunSetAside,
  removeRun,
  writeOlderRuns,
} from '../../store/artefacts/older_runs.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { type CountedRun, readRun } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { gradeUnderLimits } from '../judge/grade_stored_run.ts'
import { queueInPairs } from '../limits/limited_bench.ts'
import { openAccountLimiters } from '../limits/rate_limiters.ts'
import { readResults } from '../report/benchmark_ending.ts'
import { type Execution, execute } from '../run/execute.ts'
import { findStaleInPlan, listDrifted } from './reuse_concurrent_runs.ts'

/** `end`: how the execution of the missing runs ended. Returns how all of it ended. */
export async function testOlderRuns(
  execution: Execution,
  end: { isHalted: boolean },
  context: FlowContext,
): Promise<{ isHalted: boolean }> {
  const { plan, folder } = execution
  const known = readOlderRuns(folder)
  if (known === null || context.signal.aborted) return end
  const results = readResults(folder, plan, context)
  const origins = new Map([...results].map(([id, { record }]) => [id, readOrigin(record)]))
  const stale = findStaleInPlan(plan, { origins, ageMs: known.baseline_age_seconds * 1000, now: null })
  if (stale.length === 0) return end
  await gradeRunsSetAside(execution, context)
  const tests = testConfigurations(execution, { results, stale })
  for (const test of tests) context.emit({ type: 'drift_tested', ...test })
  await writeOlderRuns(folder, withTests(known, tests), findSigner(context.env))
  const drifted = listDrifted(tests)
  const again = stale.filter(({ run, why }) => why === 'engine' || drifted.has(run.configuration))
  return again.length === 0 ? end : await runAgain(execution, again, context)
}

function withTests(known: OlderRunsFile, tests: readonly DriftTest[]): OlderRunsFile {
  const now = new Set(tests.map(({ configuration }) => configuration))
  return { ...known, tests: [...known.tests.filter(({ configuration }) => !now.has(configuration)), ...tests] }
}

/** Older runs leave the benchmark before the new ones start: where a limit stops those, they are missing and not old. */
async function runAgain(execution: Execution, again: readonly StaleRun<RunSpec>[], context: FlowContext) {
  const { folder, plan, limited } = execution
  const runs = again.map(({ run }) => run)
  for (const { run_id } of runs) removeRun(folder, run_id)
  for (const configuration of new Set(runs.map((run) => run.configuration))) {
    const count = runs.filter((run) => run.configuration === configuration).length
    const { baseline_age_seconds = 0 } = readOlderRuns(folder) ?? {}
    const counts = { older: count, again: count, repeated: count }
    context.emit({ type: 'older_runs', configuration, tested: false, baseline_age_seconds, ...counts })
  }
  return await execute(
    {
      ...execution,
      plan: { ...plan, runs },
      settled: new Set(),
      limited: limited && { ...limited, queue: queueInPairs(runs) },
    },
    context,
  )
}

/** One test for each configuration with older runs; none while a run of its sample has no result. */
function testConfigurations(
  { plan, folder }: Execution,
  { results, stale }: { results: ReadonlyMap<string, CountedRun>; stale: readonly StaleRun<RunSpec>[] },
): DriftTest[] {
  const aside = listRunsSetAside(folder, plan)
  const byRule = rulesApply({ candidate: plan.candidate_configuration, baseline: plan.baseline_configuration })
  return [...new Set(stale.map(({ run }) => run.configuration))].flatMap((configuration): DriftTest[] => {
    const own = stale.filter(({ run }) => run.configuration === configuration)
    const sample = aside.filter((run) => run.configuration === configuration)
    const older = sample.flatMap((run) => toDriftResult(run, readRunSetAside(folder, run.run_id)))
    const kept = own.flatMap(({ run }) => toDriftResult(run, results.get(run.run_id)))
    const fresh = sample.flatMap((run) => toDriftResult(run, results.get(run.run_id)))
    const made = testDrift({ configuration, fresh, older: [...older, ...kept], byRule })
    if (own.some(({ why }) => why === 'engine')) return [{ ...made, result: 'engine_changed' }]
    const isOpen = sample.some(({ run_id }) => !hasEnded(results.get(run_id), plan.options.on_timeout))
    return sample.length === 0 || isOpen ? [] : [made]
  })
}

function toDriftResult(
  { eval_id, run_number }: RunSpec,
  run: Pick<CountedRun, 'grading'> | null | undefined,
): DriftResult[] {
  const expectations = run?.grading?.expectations ?? []
  return expectations.length === 0 ? [] : [{ eval_id, run_number, expectations }]
}

/** Graded, or without a grade on purpose. */
function hasEnded(run: CountedRun | undefined, onTimeout: 'fail' | 'exclude'): boolean {
  if (run === undefined) return false
  return run.grading !== null || (run.record.status === 'timed_out' && onTimeout === 'exclude')
}

/** Grades older runs as the present plan does: their grading may be of other criteria, or not in the cache. */
async function gradeRunsSetAside(execution: Execution, context: FlowContext): Promise<void> {
  const { plan, limited, cache } = execution
  const { older } = benchmarkPaths(execution.folder)
  const quiet = { ...context, emit: () => {} }
  const limit = pLimit(execution.concurrency)
  using pace = openAccountLimiters(execution.pace, context)
  const grade = async (spec: RunSpec) => {
    const stored = await readRun(older, spec.run_id)
    if (stored === null || stored.grading !== null || context.drain.aborted) return
    if (limited !== null && !(await limited.spending.admit(spec, ['grading']))) return
    const judged = cache && { ...cache, folder: older, surroundings: null } // the cache has the new run now
    const request = { ...execution, spec, stored, again: false, folder: older, cache: judged, pace }
    await gradeUnderLimits(limited, request, quiet)
  }
  await Promise.all(listRunsSetAside(execution.folder, plan).map((spec) => limit(() => grade(spec))))
}
