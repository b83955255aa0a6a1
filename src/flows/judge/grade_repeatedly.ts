/** Grades the same transcript several times and stores each answer, to measure the noise of grading. */
import { grading as gradingSchema } from '../../../schemas/grading.ts'
import { runPaths } from '../../store/paths.ts'
import { signedAsGrading } from '../../store/signing/own_runs.ts'
import { writeSigned } from '../../store/signing/signed_files.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { readRepeatGradings, writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { toGradeFinishedEvent } from '../run_events.ts'
import type { GradeRequest } from './grade_request.ts'
import { computeGrading, expectedGradingKey, isCompleteGrading } from './grade_stored_run.ts'

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
