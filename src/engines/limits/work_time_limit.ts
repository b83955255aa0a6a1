/** A time limit on work, without the waits. */
import { startTimeLimit, type TimeLimit } from '../../base/time/time_limit.ts'

/** Aborts after `limitMs` of work, or when a `followed` signal does. `waitedMs` returns the milliseconds waited so far, which don't count. */
export function startWorkLimit(
  limitMs: number,
  waitedMs: () => number,
  followed: readonly AbortSignal[] = [],
): TimeLimit {
  const before = waitedMs()
  return startTimeLimit(limitMs, followed, { leftOut: () => waitedMs() - before, what: ' of work' })
}
