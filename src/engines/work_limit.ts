/** A time limit on work: waits do not count. */
import { follow, longestTimer, type TimeLimit, timeIsUp } from '../base/time_limit.ts'

/** While a wait lasts the limit is looked at so often, in milliseconds. */
const glance = 100

/** Aborts once `limitMs` have passed that were not waited; `waitedMs` tells the milliseconds waited until now. Signals that it follows end it too. */
export function workLimit(limitMs: number, waitedMs: () => number, followed: readonly AbortSignal[] = []): TimeLimit {
  const controller = new AbortController()
  const start = performance.now()
  const waitedBefore = waitedMs()
  const left = () => limitMs - (performance.now() - start) + (waitedMs() - waitedBefore)
  let timer: NodeJS.Timeout
  const set = (ms: number) => {
    timer = setTimeout(look, Math.min(longestTimer, Math.ceil(ms)))
  }
  const look = () => {
    const ms = left()
    if (ms <= 0) controller.abort(timeIsUp(`no end within ${limitMs / 1000} s of work`))
    else set(Math.max(glance, ms))
  }
  set(limitMs)
  const following = follow(controller, followed)
  const dispose = () => {
    clearTimeout(timer)
    following[Symbol.dispose]()
  }
  return { signal: controller.signal, [Symbol.dispose]: dispose }
}
