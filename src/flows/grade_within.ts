/** Grading under limits: asked for before, ended at the deadline, counted after. */
import type { Grading } from '../../schemas/grading.ts'
import type { RunSpec } from '../../schemas/plan.ts'
import type { StoredRun } from '../store/store.ts'
import type { FlowContext } from './context.ts'
import { type GradeRequest, gradeStored } from './grade_stored.ts'
import type { Limited } from './limited.ts'

/** Whether a run that is on disk may be graded; at once where its grading is there. */
export async function mayGrade(limited: Limited | null, spec: RunSpec, { grading }: StoredRun): Promise<boolean> {
  if (limited === null || (grading !== null && (grading.judge_errors ?? []).length === 0)) return true
  return await limited.spending.admit(spec, ['grading'])
}

/** Grades until the deadline, and counts what it took. */
export async function gradeWithin(limited: Limited | null, request: GradeRequest, context: FlowContext): Promise<void> {
  if (limited === null) {
    await gradeStored(request, context)
    return
  }
  let grading: Grading | null = null
  try {
    const signal = AbortSignal.any([context.signal, limited.deadline])
    const end = await gradeStored(request, { ...context, signal })
    if (end.end === 'made') grading = end.grading
    if (end.end === 'kept') grading = end.made
  } finally {
    limited.spending.graded(request.spec, grading, request.stored.record)
  }
}
