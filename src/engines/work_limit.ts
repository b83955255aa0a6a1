/** A time limit on work: waits do not count. */
import { setMaxListeners } from 'node:events'

/** While a wait lasts the limit is looked at so often, in milliseconds. */
const glance = 100
/** Milliseconds; a longer timer would ring at once. */
const longestTimer = 2 ** 31 - 1

export interface WorkLimit extends Disposable {
  /** Aborted when the time is up, or with one of those it follows, for the same reason. */
  signal: AbortSignal
}

/**
 * Aborts once `limitMs` have passed that were not waited; `waitedMs` tells the milliseconds waited until now. Signals that it
 * follows end it too. (AbortSignal.any would stay known to those, which last as long as the benchmark.)
 */
export function workLimit(limitMs: number, waitedMs: () => number, followed: readonly AbortSignal[] = []): WorkLimit {
  const controller = new AbortController()
  const follow = (event: Event) => {
    if (event.target instanceof AbortSignal) controller.abort(event.target.reason)
  }
  const start = performance.now()
  const waitedBefore = waitedMs()
  const left = () => limitMs - (performance.now() - start) + (waitedMs() - waitedBefore)
  let timer: NodeJS.Timeout
  const set = (ms: number) => {
    timer = setTimeout(look, Math.min(longestTimer, Math.ceil(ms)))
  }
  const look = () => {
    const ms = left()
    if (ms <= 0) controller.abort(new DOMException(`no end within ${limitMs / 1000} s of work`, 'TimeoutError'))
    else set(Math.max(glance, ms))
  }
  set(limitMs)
  for (const signal of followed) {
    setMaxListeners(0, signal) // as many as work at once, which is no leak: each goes with its limit
    if (signal.aborted) controller.abort(signal.reason)
    else signal.addEventListener('abort', follow, { once: true })
  }
  const dispose = () => {
    clearTimeout(timer)
    for (const signal of followed) signal.removeEventListener('abort', follow)
  }
  return { signal: controller.signal, [Symbol.dispose]: dispose }
}
