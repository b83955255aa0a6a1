/** Notes that ask for the end of a job, as a worker takes them up. */
import type { QueueNote } from '../../../schemas/queue_job.ts'

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
    if (note.why === 'deadline') one.deadline.abort(new Unwanted('the deadline was reached'))
    else one.stop(new Unwanted('cancelled'))
  }
}
