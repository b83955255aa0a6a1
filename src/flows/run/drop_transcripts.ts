/** Removes transcripts and outputs of graded runs, for --no-transcripts. */
import type { RunSpec } from '../../../schemas/plan.ts'
import { removeRunParts } from '../../store/artefacts/removed_parts.ts'
import { runPaths } from '../../store/paths.ts'
import { readRun } from '../../store/store.ts'

/** A completed run without a grading, or with open verdicts, keeps them: the judge still has to read them. */
export async function dropTranscript(folder: string, { run_id }: RunSpec, now: Date): Promise<void> {
  const stored = await readRun(folder, run_id)
  if (stored === null) return
  const { record, grading } = stored
  const isGraded = grading !== null && (grading.judge_errors ?? []).length === 0
  const isBroken = record.status === 'failed' || record.status === 'cancelled'
  if (isGraded || isBroken) await removeRunParts(runPaths(folder, run_id).folder, 'no_transcripts', now)
}
