/** Finds the benchmark that bench resumes. */
import type { Plan } from '../../../schemas/plan.ts'
import { listBenchmarks, readPlan } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { isBenchmarkComplete } from '../report/benchmark_ending.ts'
import { chooseCollection } from '../report/calibrations.ts'
import { recognizeDamagedBenchmark } from '../workspace/repair_benchmark.ts'

/** What else the user can do if another process has locked it. */
export const freshBenchHint = ', or start another benchmark with --fresh'

/** The folder of the newest benchmark of this plan if it is unfinished; null: there is none. */
export async function findUnfinished(workspace: string, plan: Plan, context: FlowContext): Promise<string | null> {
  for (const folder of await listBenchmarks(workspace, chooseCollection(plan))) {
    const other = await readPlan(folder).catch(() => null)
    const hasEnded = () => isBenchmarkComplete(folder)
    const isSame =
      other === null
        ? await recognizeDamagedBenchmark(folder, plan, { hasEnded, context })
        : other.plan_id === plan.plan_id
    if (isSame) return (await hasEnded()) ? null : folder
  }
  return null
}
