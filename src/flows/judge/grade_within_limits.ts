/** Grades under limits: admitted first, stopped at the deadline, counted afterwards. */
import type { Grading } from '../../../schemas/grading.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import { isOverruled } from '../../phases/3-judge/grade/contradictions.ts'
import type { StoredRun } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import type { LimitedBench } from '../limits/limited_bench.ts'
import type { GradeRequest } from './grade_request.ts'
import { gradeStoredRun } from './grade_stored_run.ts'

/** Whether a stored run may be graded; immediate if its grading exists. */
export async function admitGrading(
  limited: LimitedBench | null,
  spec: RunSpec,
  { grading }: StoredRun,
): Promise<boolean> {
  const isFinal = grading !== null && (grading.judge_errors ?? []).length === 0 && !isOverruled(grading)
  if (limited === null || isFinal) return true
  return await limited.spending.admit(spec, ['grading'])
}

/** Grades until the deadline, and counts the cost. */
export async function gradeUnderLimits(
  limited: LimitedBench | null,
  request: GradeRequest,
  context: FlowContext,
): Promise<void> {
  if (limited === null) {
    await gradeStoredRun(request, context)
    return
  }
  let grading: Grading | null = null
  try {
    const signal = AbortSignal.any([context.signal, limited.deadline])
    const end = await gradeStoredRun(request, { ...context, signal })
    if (end.end === 'made') grading = end.grading
    if (end.end === 'kept') grading = end.made
  } finally {
    limited.spending.graded(request.spec, grading, request.stored.record)
  }
}
