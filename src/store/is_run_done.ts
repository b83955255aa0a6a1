/** Which runs on disk are the planned ones and have finished. */
import type { RunSpec } from '../../schemas/plan.ts'
import { readRuns, type StoredRun } from './store.ts'

/** Completed or timed out, with the inputs of the present plan. */
export function isRunDone({ record }: StoredRun, spec: RunSpec): boolean {
  return record.key === spec.key && (record.status === 'completed' || record.status === 'timed_out')
}

/** Those of the runs that are done. */
export async function listDoneRuns(benchmark: string, specs: readonly RunSpec[]): Promise<RunSpec[]> {
  const runs = await readRuns(benchmark, specs)
  return runs.flatMap(({ spec, stored }) => (stored !== null && isRunDone(stored, spec) ? [spec] : []))
}
