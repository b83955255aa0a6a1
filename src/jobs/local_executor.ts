/** The local executor: runs jobs on this machine with bounded concurrency, whatever they do. */
import pLimit from 'p-limit'

export interface LocalOptions {
  concurrency: number
  /** Aborted: starts no further job; running jobs may end. */
  drain: AbortSignal
  /** Aborted: ends everything (jobs get this signal themselves). */
  signal: AbortSignal
}

/** The slot of a job among `concurrency`. */
export interface JobSlot {
  /** Frees the slot for the next job while this one cleans up. At most twice `concurrency` jobs are in progress. */
  release(): void
  /** Waits for a slot again after `release`; at once when the job still has its own. */
  take(): Promise<void>
}

export type LocalJob = (slot: JobSlot) => Promise<void>

/**
 * Asks `next` for a job whenever a slot is free, until it returns null; at most `concurrency` jobs hold a slot at once. A job
 * that throws does not stop the others: its error is in the result. After `drain` or `signal` it asks for no further job.
 */
export async function runLocal(next: () => LocalJob | null, options: LocalOptions): Promise<{ errors: unknown[] }> {
  const places = pLimit(options.concurrency)
  const errors: unknown[] = []
  const isOver = () => options.drain.aborted || options.signal.aborted
  const work = async (): Promise<void> => {
    while (true) {
      const slot = await takeSlot(places)
      const job = isOver() ? null : next()
      if (job !== null) {
        await job(slot).catch((error: unknown) => {
          if (!options.signal.aborted) errors.push(error)
        })
      }
      slot.release()
      if (job === null) return
    }
  }
  await Promise.all(Array.from({ length: 2 * options.concurrency }, work))
  return { errors }
}

async function takeSlot(places: ReturnType<typeof pLimit>): Promise<JobSlot> {
  let free: (() => void) | null = null
  const take = () =>
    new Promise<void>((taken) => {
      void places(
        () =>
          new Promise<void>((end) => {
            free = end
            taken()
          }),
      )
    })
  await take()
  return {
    release() {
      free?.()
      free = null
    },
    async take() {
      if (free === null) await take()
    },
  }
}
