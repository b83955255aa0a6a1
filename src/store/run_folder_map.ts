/** Maps the runs of a benchmark to their folders. */
import type { RunSpec } from '../../schemas/plan.ts'
import { runPaths } from '../store/paths.ts'

/** Identifies a run within its benchmark. */
export function runFolderKey(run: { eval_id: number; configuration: string; run_number: number }): string {
  return `${run.eval_id}/${run.configuration}/run-${run.run_number}`
}

/** The folder of each run, absolute, by runFolderKey. */
export function mapRunFolders(benchmark: string, runs: readonly RunSpec[]): Map<string, string> {
  return new Map(runs.map((run) => [runFolderKey(run), runPaths(benchmark, run.run_id).folder]))
}
