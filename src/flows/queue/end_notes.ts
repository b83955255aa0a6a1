/** Notes that ask for the end of a job, as a worker takes them up. */
import type { QueueNote } from '../../../schemas/queue_job.ts'

type EndNote = Extract<QueueNote, { kind: 'end' }>

/** What a job fails with that was ended by such a note. */
export const endedFor = {
  cancelled: 'cancelled',
  deadline: 'the deadline was reached',
  left: 'its coordinator left',
} satisfies Record<EndNote['why'], string>

export function endNoteId(job: string): string {
  return `end-${job}`
}

/** One for each queue, in place of the last. */
export function cancelNoteId(queue: string): string {
  return `cancelled-${queue}`
}

/** A job that somebody wants no more. */
class Unwanted extends Error {
  override readonly name = 'Unwanted'
}

/** Ends what is asked for: what the run is recorded with at a deadline, and nothing of it where it is cancelled. */
export function endAsked(
  notes: readonly QueueNote[],
  inHand: ReadonlyMap<string, { stop: (reason: Error) => void; deadline: AbortController }>,
): void {
  for (const note of notes) {
    if (note.kind !== 'end') continue
    const one = inHand.get(note.job)
    if (one === undefined) continue
    const reason = new Unwanted(endedFor[note.why])
    if (note.why === 'deadline') one.deadline.abort(reason)
    else one.stop(reason)
  }
}

const staleMs = 24 * 3_600_000

/** Those that nobody has taken down for long: their jobs had ended by themselves. */
export function staleNotes(notes: readonly QueueNote[], now: Date): string[] {
  return notes.flatMap((note) =>
    note.kind === 'end' && now.getTime() - Date.parse(note.at) > staleMs ? [endNoteId(note.job)] : [],
  )
}
