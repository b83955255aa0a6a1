/** The local executor: bounded work on this machine, in the order given, knowing nothing of what the work is. */
import pLimit from 'p-limit'

export interface LocalOptions {
  concurrency: number
  /** Aborted: nothing new is started; what runs may end. */
  drain: AbortSignal
  /** Aborted: everything ends now (jobs get this signal themselves). */
  signal: AbortSignal
}

/**
 * Runs all jobs, at most `concurrency` at once. A job that throws does not stop the others: its error is among the
 * result's. Jobs not started because of `drain` or `signal` are counted as skipped.
 */
export async function runLocal(
  jobs: readonly (() => Promise<void>)[],
  options: LocalOptions,
): Promise<{ errors: unknown[]; skipped: number }> {
  const limit = pLimit(options.concurrency)
  const result = { errors: [] as unknown[], skipped: 0 }
  const stopped = () => options.drain.aborted || options.signal.aborted
  await Promise.all(
    jobs.map((job) =>
      limit(async () => {
        if (stopped()) {
          result.skipped += 1
          return
        }
        await job().catch((error: unknown) => {
          if (options.signal.aborted) result.skipped += 1
          else result.errors.push(error)
        })
      }),
    ),
  )
  return result
}
