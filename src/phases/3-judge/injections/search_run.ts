/** Searches what a run left for text that instructs a judge, where no judge has read it in a folder of its own. */
import type { InjectionAttempt } from '../../../../schemas/grading.ts'
import type { DocumentReading } from '../documents/document_reads.ts'
import { readDocuments } from '../documents/read_documents.ts'
import { evidenceFiles } from '../evidence/evidence_files.ts'
import { listRunOutputs } from '../judge/judge_folder.ts'
import { findInjectionAttempts } from './find_injections.ts'

/** Searches the transcript and the outputs. Reads one file after another; of a long file both ends. */
export async function searchRun({
  runFolder,
  prompt,
  ...reading
}: DocumentReading & {
  runFolder: string
  prompt: string
}): Promise<InjectionAttempt[]> {
  const outputs = await listRunOutputs(runFolder)
  const named = outputs.map((file) => ({ name: `outputs/${file.path}`, file: file.source }))
  const { texts } = await readDocuments(named, reading)
  const files = evidenceFiles({ runFolder, prompt, outputs, inputs: [], texts })
  return findInjectionAttempts({ files, names: outputs.map((file) => `outputs/${file.path}`), prompt })
}
