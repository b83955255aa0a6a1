/** Computes a digest of what judges and checks see of a run, so that the same evidence is not judged twice. */
import type { RunRecord } from '../../../../schemas/run.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'

/** Hex sha256 over status, transcript (its sha256), answer and outputs; leaves out ids, times and costs. */
export function evidenceDigest(record: RunRecord, transcript: string): string {
  const { status, final_response, outputs } = record
  return sha256(canonicalJson({ status, final_response, outputs, transcript }))
}
