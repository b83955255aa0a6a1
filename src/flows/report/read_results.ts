/** Reads the runs on disk that belong to a plan, as the reports count them. */
import type { Grading } from '../../../schemas/grading.ts'
import type { Plan } from '../../../schemas/plan.ts'
import type { Damage } from '../../store/artefacts/damage.ts'
import { type CountedRun, readCountedRun, readRepeatGradings } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'

type Result = CountedRun & { again?: readonly Grading[] }

/** Keyed by run id, in plan order. */
export function readResults(folder: string, plan: Plan, context: FlowContext): Map<string, Result> {
  const results = new Map<string, Result>()
  const tell = (damage: Damage) =>
    context.emit({ type: 'artefact_damaged', ...damage, mended: 'ignored; the same bench command writes it again' })
  for (const { run_id, key } of plan.runs) {
    const stored = readCountedRun(folder, run_id, tell)
    if (stored === null || stored.record.key !== key) continue
    const again = [...readRepeatGradings(folder, run_id, tell).values()]
    results.set(run_id, again.length === 0 ? stored : { ...stored, again })
  }
  return results
}
