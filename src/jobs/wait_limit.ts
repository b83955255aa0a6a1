/** Ends waits without an end: measures the time in which all pieces of work wait and none makes progress. */
import type { Wait, WatchedWork } from '../base/rate_limit_slot.ts'

export interface WaitLimitOptions {
  /** Allowed waiting without progress, in milliseconds. */
  maxWaitMs: number
  /** Milliseconds until the deadline; null: none. */
  leftMs: () => number | null
  /** Called when everything waits, and again when the reason changes. */
  onWait: (waiting: WaitStatus) => void
  /** Called when something works again after `onWait`. */
  onResume: () => void
  /** Called once, when the limit is reached. */
  onOver: (over: WaitExceeded) => void
  now?: () => number
}

/** What everything waits for. */
export interface WaitStatus {
  why: string
  /** Number of waiting pieces of work. */
  works: number
  /** Milliseconds until the time that a provider named; null: it named none. */
  namedMs: number | null
  /** Milliseconds until the limit ends the wait, unless something happens before; null: the named time comes first. */
  endsMs: number | null
}

/** `reset_too_late`: the provider named a time after the deadline. */
export interface WaitExceeded extends WaitStatus {
  reason: 'max_wait' | 'reset_too_late'
}

/** A piece of work, which ends when it is disposed. */
export interface TrackedWork extends WatchedWork, Disposable {}

/** Maximum milliseconds between two checks; a longer gap is time in which this process was stopped. */
const longestTick = 500
/** A wait is reported after this many milliseconds, or after half of the allowed time. */
const sayAfterMs = 5000

export class WaitLimit implements Disposable {
  readonly #options: WaitLimitOptions
  readonly #now: () => number
  readonly #tickMs: number
  readonly #works = new Set<OpenWork>()
  #timer: NodeJS.Timeout | null = null
  #lastTick = 0
  /** Milliseconds waited since the last progress, excluding (once) the wait for a named time. */
  #waitedMs = 0
  /** Milliseconds of the present wait, for reports. */
  #stalledMs = 0
  /** The named time to wait for; null: none. `isUsed`: one has passed without progress since. */
  #named: { until: number | null; isUsed: boolean } = { until: null, isUsed: false }
  #said: WaitStatus | null = null
  #isOver = false

  constructor(options: WaitLimitOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#tickMs = Math.max(20, Math.min(longestTick, options.maxWaitMs / 10))
  }

  /** A piece of work begins: it works until it reports a wait. `isIdle`: ignored until its first request. */
  begin(isIdle = false): TrackedWork {
    const work = new OpenWork(
      isIdle,
      () => this.#progress(),
      () => {
        this.#works.delete(work)
        if (this.#works.size === 0) this[Symbol.dispose]()
      },
    )
    this.#works.add(work)
    if (this.#timer === null) {
      this.#lastTick = this.#now()
      this.#timer = setInterval(() => this.look(), this.#tickMs)
      this.#timer.unref()
    }
    return work
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  /** Checks whether everything waits, and for how long. Called by a timer; public for its test. */
  look(): void {
    const now = this.#now()
    const passed = Math.min(now - this.#lastTick, 2 * this.#tickMs)
    this.#lastTick = now
    const waits = [...this.#works].filter((work) => !work.isIdle).map((work) => work.waitsFor)
    if (this.#isOver) return
    if (waits.length === 0 || waits.some((wait) => wait === null)) this.#resume()
    else this.#stall(waits, { now, passed })
  }

  #stall(waits: readonly (Wait | null)[], { now, passed }: { now: number; passed: number }): void {
    this.#stalledMs += passed
    const left = waits.map((wait) => wait?.leftMs() ?? null)
    const waiting = this.#waiting(waits, left, now)
    const deadlineMs = this.#options.leftMs()
    const isTooLate = deadlineMs !== null && left.every((ms) => ms !== null && ms > deadlineMs)
    const { until } = this.#named
    if (until !== null && now >= until) this.#pass()
    else if (until === null) this.#waitedMs += passed
    if (isTooLate) this.#end('reset_too_late', waiting)
    else if (this.#waitedMs >= this.#options.maxWaitMs) this.#end('max_wait', waiting)
    else this.#say(waiting)
  }

  #waiting(waits: readonly (Wait | null)[], left: readonly (number | null)[], now: number): WaitStatus {
    const known = left.filter((ms) => ms !== null)
    const namedMs = known.length === 0 ? null : Math.max(...known)
    const allowedMs = this.#options.maxWaitMs - this.#waitedMs
    const { until, isUsed } = this.#named
    // a time within the allowed wait needs no exception; a second one without progress in between gets none
    if (namedMs !== null && namedMs > allowedMs && until === null && !isUsed) {
      this.#named = { until: now + namedMs, isUsed: false }
    }
    const why = waits.find((_, at) => left[at] === namedMs)?.why ?? waits[0]?.why ?? ''
    const endsMs = this.#named.until === null ? Math.max(0, allowedMs) : null
    return { why, works: waits.length, namedMs, endsMs }
  }

  /** The named time has passed: the waiting work may try, and has the whole allowed time for it. */
  #pass(): void {
    this.#named = { until: null, isUsed: true }
    this.#waitedMs = 0
  }

  #progress(): void {
    this.#waitedMs = 0
    this.#named = { until: null, isUsed: false }
  }

  #resume(): void {
    this.#stalledMs = 0
    if (this.#said === null) return
    this.#said = null
    this.#options.onResume()
  }

  #say(waiting: WaitStatus): void {
    if (this.#stalledMs < Math.min(sayAfterMs, this.#options.maxWaitMs / 2)) return
    if (this.#said !== null && (this.#said.endsMs === null) === (waiting.endsMs === null)) return
    this.#said = waiting
    this.#options.onWait(waiting)
  }

  #end(reason: WaitExceeded['reason'], waiting: WaitStatus): void {
    this.#isOver = true
    this[Symbol.dispose]()
    this.#options.onOver({ ...waiting, reason })
  }
}

class OpenWork implements TrackedWork {
  readonly #onProgress: () => void
  readonly #onEnd: () => void
  readonly #open = new Set<Wait>()
  #block: Wait | null = null
  #isEnded = false
  isIdle: boolean

  constructor(isIdle: boolean, onProgress: () => void, onEnd: () => void) {
    this.isIdle = isIdle
    this.#onProgress = onProgress
    this.#onEnd = onEnd
  }

  /** What it waits for; null: it works. */
  get waitsFor(): Wait | null {
    const [open] = this.#open
    const block = this.#block
    if (open === undefined || block === null) return open ?? block
    return { why: block.why, leftMs: () => open.leftMs() ?? block.leftMs() }
  }

  start(): void {
    this.isIdle = false
  }

  wait(wait: Wait): () => void {
    this.start()
    this.#open.add(wait)
    return () => this.#open.delete(wait)
  }

  block(wait: Wait): void {
    this.start()
    this.#block = wait
  }

  unblock(): void {
    this.#block = null
  }

  progress(): void {
    this.#block = null
    this.#onProgress()
  }

  /** Work that ends unblocked counts as progress; work that ends blocked was given up. */
  [Symbol.dispose](): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#onEnd()
    if (this.#block === null && !this.isIdle) this.#onProgress()
  }
}
