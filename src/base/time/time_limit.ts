/**
 * A time limit that always fires and is released with its work. (In Node 20, AbortSignal.timeout can be garbage-collected early under
 * AbortSignal.any and never fire; AbortSignal.any also stays registered on signals that last as long as the benchmark.)
 */
import { setMaxListeners } from 'node:events'
import { activeNow, startActiveTimer } from './active_time.ts'

export interface TimeLimit extends Disposable {
  /** Aborted when the time is up, or with any of the followed signals, for the same reason. */
  signal: AbortSignal
}

export interface LimitOptions {
  /** Milliseconds waited until now; those from the start on do not count. Absent: none. */
  waitedMs?: () => number
  /** What is limited, at the end of the message; absent: time. */
  what?: string
}

/** Aborts after `limitMs` of active time with a TimeoutError, and with each of `followed`. Use with `using`, so that its timer ends. */
export function startTimeLimit(
  limitMs: number,
  followed: readonly AbortSignal[] = [],
  { waitedMs = () => 0, what = '' }: LimitOptions = {},
): TimeLimit {
  const controller = new AbortController()
  const [start, waitedBefore] = [activeNow(), waitedMs()]
  const timer = startActiveTimer({
    left: () => limitMs - (activeNow() - start) + waitedMs() - waitedBefore,
    ring: () => controller.abort(new DOMException(`no end within ${limitMs / 1000} s${what}`, 'TimeoutError')),
  })
  const following = follow(controller, followed)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      timer[Symbol.dispose]()
      following[Symbol.dispose]()
    },
  }
}

/** Aborts with each of these signals, for the same reason, until disposed. */
function follow(controller: AbortController, followed: readonly AbortSignal[]): Disposable {
  const hear = (event: Event) => {
    if (event.target instanceof AbortSignal) controller.abort(event.target.reason)
  }
  for (const signal of followed) {
    setMaxListeners(0, signal) // one listener per concurrent job is not a leak: each ends with its limit
    if (signal.aborted) controller.abort(signal.reason)
    else signal.addEventListener('abort', hear, { once: true })
  }
  return {
    [Symbol.dispose]() {
      for (const signal of followed) signal.removeEventListener('abort', hear)
    },
  }
}
