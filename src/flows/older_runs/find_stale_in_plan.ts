/** Finds the runs of a plan that are too old to be compared with the others. */
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { findStaleRuns, type RunOrigin, type StaleRun } from '../../phases/4-report/benchmark/older_runs/stale_runs.ts'

/** Runs of a case without criteria are not compared. */
export function findStaleInPlan(
  { runs, cases }: Plan,
  how: { origins: ReadonlyMap<string, RunOrigin>; ageMs: number; now: number | null },
): StaleRun<RunSpec>[] {
  const graded = new Set(cases.flatMap((one) => (one.expectations.length + one.checks.length > 0 ? [one.eval_id] : [])))
  return findStaleRuns({ runs: runs.filter(({ eval_id }) => graded.has(eval_id)), ...how })
}
