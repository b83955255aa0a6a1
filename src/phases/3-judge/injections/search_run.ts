/** Searches what a run left for text that instructs a judge, where no judge has read it in a folder of its own. */
import type { InjectionAttempt } from '../../../../schemas/grading.ts'
import { evidenceFiles } from '../evidence/evidence_files.ts'
import { listRunOutputs } from '../judge/judge_folder.ts'
import { findInjectionAttempts } from './find_injections.ts'

/** Searches the transcript and the outputs. Reads one file after another; of a long file both ends. */
export async function searchRun({
  runFolder,
  prompt,
}: {
  runFolder: string
  prompt: string
}): Promise<InjectionAttempt[]> {
  const outputs = await listRunOutputs(runFolder)
  const files = evidenceFiles({ runFolder, prompt, outputs, inputs: [] })
  return findInjectionAttempts({ files, names: outputs.map((file) => `outputs/${file.path}`), prompt })
}
