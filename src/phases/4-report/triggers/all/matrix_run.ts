/** What one run of a query shows: the skill that it read first, or why there is no answer. */
import type { TranscriptEvent } from '../../../../../schemas/transcript.ts'
import type { MatrixRun } from '../../../../../schemas/trigger_matrix.ts'
import { findTriggerRunError, sumRunTokens, type TriggerRunSource } from '../run_entry.ts'

/** `owners`: the skills that should be read. */
export function toMatrixRun(
  { run_id, run_number, record, events }: TriggerRunSource,
  { query_id, owners }: { query_id: number; owners: readonly string[] },
): MatrixRun {
  const place = { query_id, run_number, run_id }
  const nothing = { read: null, error: null, tokens: null, duration_ms: null, cost: null }
  if (record === null) return { ...place, ...nothing, outcome: 'missing' }
  const read = findFirstRead(events, owners)
  const error = findTriggerRunError(record, read !== null)
  return {
    ...place,
    outcome: error === null ? 'answered' : 'error',
    read: error === null ? read : null,
    error,
    tokens: sumRunTokens(record),
    duration_ms: record.duration_ms,
    cost: record.cost,
  }
}

/** Of several skills that one response reads, an owner counts. */
function findFirstRead(events: readonly TranscriptEvent[], owners: readonly string[]): string | null {
  const reads = events.flatMap((event) => (event.type === 'skill_read' ? [event] : []))
  const atOnce = reads.filter(({ step }) => step === reads[0]?.step)
  return (atOnce.find(({ skill }) => owners.includes(skill)) ?? atOnce[0])?.skill ?? null
}
