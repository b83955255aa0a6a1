/** Locates the folder for what belongs to a whole case, such as its comparisons. */
import path from 'node:path'
import type { Plan } from '../../../schemas/plan.ts'

/** A case's folder: the path of its runs without configuration and run number. */
export function caseFolder(folder: string, plan: Plan, evalId: number): string {
  const spec = plan.runs.find((run) => run.eval_id === evalId)
  if (spec === undefined) throw new Error(`plan has no run of case ${evalId}`)
  return path.join(folder, path.dirname(path.dirname(spec.run_id)))
}
