/** Maps the runs of a benchmark to their folders, and says which are done. */
import type { RunSpec } from '../../schemas/plan.ts'
import { runPaths } from './paths.ts'
import { readRuns, type StoredRun } from './store.ts'

/** Identifies a run within its benchmark. */
export function runFolderKey(run: { eval_id: number; configuration: string; run_number: number }): string {
  return `${run.eval_id}/${run.configuration}/run-${run.run_number}`
}

/** The folder of each run, absolute, by runFolderKey. */
export function mapRunFolders(benchmark: string, runs: readonly RunSpec[]): Map<string, string> {
  return new Map(runs.map((run) => [runFolderKey(run), runPaths(benchmark, run.run_id).folder]))
}

/** Completed or timed out, with the inputs of the present plan. */
export function isRunDone({ record }: StoredRun, spec: RunSpec): boolean {
  return record.key === spec.key && (record.status === 'completed' || record.status === 'timed_out')
}

/** Those of the runs that are done. */
export async function listDoneRuns(benchmark: string, specs: readonly RunSpec[]): Promise<RunSpec[]> {
  const runs = await readRuns(benchmark, specs)
  return runs.flatMap(({ spec, stored }) => (stored !== null && isRunDone(stored, spec) ? [spec] : []))
}
