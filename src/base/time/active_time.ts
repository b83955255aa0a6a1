/**
 * Active time: the time in which this process could work. It leaves out gaps in which the process was stopped (SIGSTOP, Ctrl-Z), frozen or
 * starved, so that no time limit or duration blames an agent for them. (On Linux the monotonic clock excludes suspension by itself.)
 */

/** Milliseconds between two ticks of a plain interval timer. */
const tickMs = 250
/** A tick later than this, without work of this process in between, marks a gap (milliseconds). */
const leastGapMs = 1000
/** A timer that fires later than this waits once more, so that data that has already arrived is read first (milliseconds). */
const lateMs = 50
/** That extra wait, and the interval between checks of a limit (milliseconds). */
const limitPollMs = 100

/** Maximum milliseconds between checks: a wall clock can jump, and a timer of more than 24 days would fire at once. */
const longestWaitMs = 60_000

let last: { at: number; cpu: NodeJS.CpuUsage } | null = null
let suspendedTotalMs = 0

/** Milliseconds of active time since an arbitrary moment. */
export function activeNow(): number {
  if (last === null) {
    last = { at: performance.now(), cpu: process.cpuUsage() }
    setInterval(noticeGap, tickMs).unref()
  }
  return noticeGap() - suspendedTotalMs
}

/** Milliseconds excluded so far. */
export function suspendedMs(): number {
  activeNow()
  return Math.round(suspendedTotalMs)
}

/** Each call shows that the process is running. Returns performance.now(). */
function noticeGap(): number {
  const now = performance.now()
  const cpu = process.cpuUsage()
  if (last !== null) {
    const late = now - last.at - tickMs
    // a process that was late because it worked was not stopped
    const worked = (cpu.user - last.cpu.user + cpu.system - last.cpu.system) / 1000
    if (late - worked > leastGapMs) suspendedTotalMs += late - worked
  }
  last = { at: now, cpu }
  return now
}

export interface ActiveTimer {
  /** Milliseconds left; asked again before it rings. */
  left: () => number
  ring: () => void
  /** Whether the program may end before it rings; absent: no. */
  unref?: boolean
}

/**
 * Calls `ring` when no time is left. After a gap it waits once more: timers come before pipes and sockets in the event loop, and
 * an agent's output from before the limit must win.
 */
export function startActiveTimer({ left, ring, unref = false }: ActiveTimer): Disposable {
  let timer: NodeJS.Timeout
  let hasWaited = false
  const start = (ms: number) => {
    const wait = Math.min(longestWaitMs, Math.max(0, Math.ceil(ms)))
    const due = performance.now() + wait
    timer = setTimeout(() => look(due), wait)
    if (unref) timer.unref()
  }
  const look = (due: number) => {
    const ms = left()
    if (ms > 0) return start(Math.max(limitPollMs, ms))
    if (hasWaited || performance.now() - due <= lateMs) return ring()
    hasWaited = true
    start(limitPollMs)
  }
  start(left())
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

/** startActiveTimer for this many milliseconds from the call. */
export function startActiveTimeout(ms: number, ring: () => void, { unref = false } = {}): Disposable {
  const start = activeNow()
  return startActiveTimer({ left: () => ms - (activeNow() - start), ring, unref })
}

/** Resolves after so many milliseconds of active time. Does not keep the program alive. */
export function waitActiveTime(ms: number): Promise<void> {
  return new Promise((resolve) => void startActiveTimeout(ms, resolve, { unref: true }))
}
