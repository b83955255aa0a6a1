/**
 * A time limit that surely rings, and goes with what it limits. (AbortSignal.timeout that only AbortSignal.any knows goes with the garbage
 * before its time in Node 20, and never rings; AbortSignal.any would stay known to signals that last as long as the benchmark.)
 */
import { setMaxListeners } from 'node:events'

export interface TimeLimit extends Disposable {
  /** Aborted when the time is up, or with one of those it follows, for the same reason. */
  signal: AbortSignal
}

/** Milliseconds; a longer timer would ring at once. */
export const longestTimer = 2 ** 31 - 1

/** Aborts after `limitMs` with a TimeoutError (24 days at most), and with each of `followed`. Use with `using`, so that its timer ends. */
export function timeLimit(limitMs: number, followed: readonly AbortSignal[] = []): TimeLimit {
  const controller = new AbortController()
  const ring = () => controller.abort(timeIsUp(`no end within ${limitMs / 1000} s`))
  const timer = setTimeout(ring, Math.min(longestTimer, Math.ceil(limitMs)))
  const following = follow(controller, followed)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer)
      following[Symbol.dispose]()
    },
  }
}

/** The reason of a limit that rang. */
export function timeIsUp(message: string): DOMException {
  return new DOMException(message, 'TimeoutError')
}

/** Aborts with each of these, for the same reason, until disposed of. */
export function follow(controller: AbortController, followed: readonly AbortSignal[]): Disposable {
  const hear = (event: Event) => {
    if (event.target instanceof AbortSignal) controller.abort(event.target.reason)
  }
  for (const signal of followed) {
    setMaxListeners(0, signal) // as many as work at once, which is no leak: each goes with its limit
    if (signal.aborted) controller.abort(signal.reason)
    else signal.addEventListener('abort', hear, { once: true })
  }
  return {
    [Symbol.dispose]() {
      for (const signal of followed) signal.removeEventListener('abort', hear)
    },
  }
}
