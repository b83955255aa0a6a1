/** The same transcript graded several times, each answer kept beside the first: how much of the noise is the grading. */
import { grading as gradingSchema } from '../../schemas/grading.ts'
import { runPaths } from '../store/paths.ts'
import { readAgain, writeArtefact } from '../store/store.ts'
import type { FlowContext } from './context.ts'
import { type GradeRequest, gradeAnew, isWholly, keyOf } from './grade_stored.ts'
import { gradeFinished } from './run_events.ts'

/** Makes what is missing of `times` repetitions; those under other criteria or by another judge are replaced. */
export async function gradeRepeatedly(request: GradeRequest, times: number, context: FlowContext): Promise<void> {
  const { folder, spec, stored } = request
  if (times === 0 || stored.record.status !== 'completed') return // the clock decides always the same
  const key = keyOf(request)
  if (!isWholly(stored.grading, key)) return // there is nothing that it would repeat
  const known = readAgain(folder, spec.run_id)
  for (let n = 1; n <= times; n += 1) {
    if (context.drain.aborted) return
    if (isWholly(known.get(n), key)) continue
    const graded = await gradeAnew(request, context)
    if (graded === null) return
    await writeArtefact(gradingSchema, runPaths(folder, spec.run_id).again(n), graded.grading)
    context.emit({ ...gradeFinished(spec, graded.grading), again: n })
  }
}
