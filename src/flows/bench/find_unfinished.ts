/** Finds the benchmark that bench resumes. */
import type { Plan } from '../../../schemas/plan.ts'
import type { FlowContext } from '../flow_context.ts'
import { isBenchmarkComplete } from '../report/benchmark_ending.ts'
import { chooseCollection } from '../report/calibrations.ts'
import { findUnfinished } from '../workspace/open_benchmark.ts'

/** What else the user can do if another process has locked it. */
export const freshBenchHint = ', or start another benchmark with --fresh'

/** The folder of the newest benchmark of this plan if it is unfinished; null: there is none. */
export async function findUnfinishedBench(workspace: string, plan: Plan, context: FlowContext): Promise<string | null> {
  const of = { workspace, collection: chooseCollection(plan), isComplete: isBenchmarkComplete }
  return await findUnfinished(of, { plan }, context)
}
