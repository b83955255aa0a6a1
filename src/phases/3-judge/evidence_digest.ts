/** Digest of what a judge and the checks get to see of a run: the same evidence need not be judged twice. */
import type { RunRecord } from '../../../schemas/run.ts'
import { canonicalJson, sha256 } from '../../base/json.ts'

/** Hex sha256 over transcript, answer and outputs; ids, times and costs are not in it. */
export function evidenceDigest(record: RunRecord, transcript: string): string {
  const { status, final_response, outputs } = record
  return sha256(canonicalJson({ status, final_response, outputs, transcript: sha256(transcript) }))
}
