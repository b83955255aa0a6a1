/** Runs a task at an interval and on request, never twice at once. */

export interface IntervalTask {
  /** Runs it once more after the current pass, shared by all requests until then; resolves when that pass is done. */
  soon(): Promise<void>
  /** Stops the interval; `soon` still works. */
  stop(): void
}

/** A failed pass is retried at the next interval. */
export function startIntervalTask(work: () => Promise<void>, everyMs: number): IntervalTask {
  /** The latest requested pass. */
  let last = Promise.resolve()
  /** The same, until it starts. */
  let next: Promise<void> | null = null
  const pass = async () => {
    next = null
    await work().catch(() => {})
  }
  const soon = () => {
    if (next === null) {
      last = last.then(pass)
      next = last
    }
    return next
  }
  const timer = setInterval(() => void soon(), everyMs)
  return { soon, stop: () => clearInterval(timer) }
}
