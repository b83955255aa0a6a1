/** Where what belongs to a whole case lies, such as its comparisons. */
import path from 'node:path'
import type { Plan } from '../../schemas/plan.ts'

/** The folder of a case: that of its runs, without arm and number. */
export function caseFolder(folder: string, plan: Plan, evalId: number): string {
  const spec = plan.runs.find((run) => run.eval_id === evalId)
  if (spec === undefined) throw new Error(`plan has no run of case ${evalId}`)
  return path.join(folder, path.dirname(path.dirname(spec.run_id)))
}
