/** Handles notes that ask a worker to end a job. */
import type { QueueNote } from '../../../../schemas/queue_job.ts'

type EndNote = Extract<QueueNote, { kind: 'end' }>

/** The failure reason of a job ended by such a note. */
export const endReasons = {
  cancelled: 'cancelled',
  deadline: 'the deadline was reached',
  left: 'its coordinator left',
} satisfies Record<EndNote['why'], string>

export function endNoteId(job: string): string {
  return `end-${job}`
}

/** One for each queue; a new one replaces it. */
export function cancelNoteId(queue: string): string {
  return `cancelled-${queue}`
}

/** A job that is not wanted. */
class Unwanted extends Error {
  override readonly name = 'Unwanted'
}

/** Ends the requested jobs: at a deadline the run's record is kept, otherwise nothing is. */
export function endRequestedJobs(
  notes: readonly QueueNote[],
  inHand: ReadonlyMap<string, { stop: (reason: Error) => void; deadline: AbortController }>,
): void {
  for (const note of notes) {
    if (note.kind !== 'end') continue
    const one = inHand.get(note.job)
    if (one === undefined) continue
    const reason = new Unwanted(endReasons[note.why])
    if (note.why === 'deadline') one.deadline.abort(reason)
    else one.stop(reason)
  }
}

const staleMs = 24 * 3_600_000

/** Notes that stayed too long: their jobs had already ended. */
export function listStaleNotes(notes: readonly QueueNote[], now: Date): string[] {
  return notes.flatMap((note) =>
    note.kind === 'end' && now.getTime() - Date.parse(note.at) > staleMs ? [endNoteId(note.job)] : [],
  )
}
