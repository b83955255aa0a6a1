/** Whether a run on disk is the planned one and has finished. */
import type { RunSpec } from '../../schemas/plan.ts'
import type { StoredRun } from './store.ts'

/** Completed or timed out, with the inputs of the present plan. */
export function isRunDone({ record }: StoredRun, spec: RunSpec): boolean {
  return record.key === spec.key && (record.status === 'completed' || record.status === 'timed_out')
}
