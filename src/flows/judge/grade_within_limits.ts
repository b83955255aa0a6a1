/** Grades under limits: admitted first, stopped at the deadline, counted afterwards. The noise of grading is measured by several gradings of one transcript. */
import { type Grading, grading as gradingSchema } from '../../../schemas/grading.ts'
import type { RunSpec } from '../../../schemas/plan.ts'
import { isOverruled } from '../../phases/3-judge/grade/contradictions.ts'
import { runPaths } from '../../store/paths.ts'
import { signedAsGrading } from '../../store/signing/own_runs.ts'
import { findSigner, writeSigned } from '../../store/signing/signer.ts'
import { readRepeatGradings, type StoredRun, writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import type { LimitedBench } from '../limits/limited_bench.ts'
import { toGradeFinishedEvent } from '../run_events.ts'
import {
  computeGrading,
  expectedGradingKey,
  type GradeRequest,
  gradeStoredRun,
  isCompleteGrading,
} from './grade_stored_run.ts'

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

/** Adds missing gradings up to `times`; replaces those by another judge or under other criteria. */
export async function gradeRepeatedly(request: GradeRequest, times: number, context: FlowContext): Promise<void> {
  const { folder, spec, stored } = request
  if (times === 0 || stored.record.status !== 'completed') return // other runs always get the same grading
  const key = expectedGradingKey(request)
  if (!isCompleteGrading(stored.grading, key)) return // there is no complete grading to repeat
  const known = readRepeatGradings(folder, spec.run_id)
  for (let n = 1; n <= times; n += 1) {
    if (context.drain.aborted) return
    if (isCompleteGrading(known.get(n), key)) continue
    const graded = await computeGrading(request, context)
    if (graded === null) return
    const again = { file: runPaths(folder, spec.run_id).again(n), as: signedAsGrading(folder, spec.run_id) }
    if (request.isForeign) await writeArtefact(gradingSchema, again.file, graded.grading)
    else await writeSigned(gradingSchema, again, { value: graded.grading, signer: findSigner(context.env) })
    context.emit({ ...toGradeFinishedEvent(spec, graded.grading), again: n })
  }
}
