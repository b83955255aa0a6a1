/** The local executor: bounded work on this machine, asked for when a place is free, knowing nothing of what the work is. */
import pLimit from 'p-limit'

export interface LocalOptions {
  concurrency: number
  /** Aborted: nothing new is started; what runs may end. */
  drain: AbortSignal
  /** Aborted: everything ends now (jobs get this signal themselves). */
  signal: AbortSignal
}

/** The place of a job among `concurrency`. */
export interface Slot {
  /** Gives the place to the next job, while this one tidies up. Twice as many jobs as places are under way at most. */
  release(): void
  /** Waits for a place again, after `release`; at once where the job still has its own. */
  take(): Promise<void>
}

export type Job = (slot: Slot) => Promise<void>

/**
 * Asks `next` for a job whenever a place is free, until it gives null; at most `concurrency` hold a place at once. A job
 * that throws does not stop the others: its error is among the result's. After `drain` or `signal` nothing is asked for.
 */
export async function runLocal(next: () => Job | null, options: LocalOptions): Promise<{ errors: unknown[] }> {
  const places = pLimit(options.concurrency)
  const errors: unknown[] = []
  const isOver = () => options.drain.aborted || options.signal.aborted
  const work = async (): Promise<void> => {
    while (true) {
      const slot = await slotOf(places)
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

async function slotOf(places: ReturnType<typeof pLimit>): Promise<Slot> {
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
