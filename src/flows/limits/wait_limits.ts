/** Limits a command's waits for providers: without progress for too long, everything ends with the cause and how to resume. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { Stop } from '../../../schemas/limits.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { WaitOverError } from '../../base/errors/error.ts'
import type { Wait } from '../../base/rate_limit_slot.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { listDoneRuns } from '../../store/run_folders.ts'
import type { FlowContext, TrackedWork, Waits } from '../flow_context.ts'
import { buildStop, type Limits, msUntilDeadline, noLimits } from './limits.ts'

/** 15 minutes. */
export const usualMaxWaitMs = 900_000

export interface WaitsRequest {
  maxWaitMs: number
  /** A provider's reset time must not be after their deadline. */
  limits: Pick<Limits, 'deadline' | 'deadlineLeft'>
  emit: (event: FlowEvent) => void
  now: () => Date
  /** The user's environment, whose credentials no message shows. */
  env: Readonly<Record<string, string | undefined>>
}

/**
 * Called after all work has ended. Returns the stop if the wait limit ended it, and a context that can still summarize. Rejects with the
 * abort reason if something else ended it.
 */
export async function explainWaitStop(
  { folder, plan }: { folder: string; plan: Plan },
  context: FlowContext,
): Promise<{ stop: Stop | null; context: FlowContext }> {
  if (!context.signal.aborted) return { stop: null, context }
  const error: unknown = context.signal.reason
  if (!(error instanceof WaitOverError)) throw error
  const { length: done } = await listDoneRuns(folder, plan.runs)
  const runs = { done, planned: plan.runs.length, isMost: plan.options.until !== undefined }
  const stop = buildStop({ kind: 'max_wait', spent: null, limits: noLimits, runs, what: error.why })
  context.emit({ type: 'budget_reached', ...stop })
  return { stop, context: { ...context, signal: context.drain } }
}

/** `see`: receives each event of the command, for the numbers in the message. */
export interface OpenWaits extends Waits, Disposable {
  see: (event: FlowEvent) => void
}

export function openWaits({ maxWaitMs, limits, emit, now, env }: WaitsRequest): OpenWaits {
  const redactor = getRedactor(env)
  const controller = new AbortController()
  const counts = countRuns()
  const limit = new WaitLimit({
    maxWaitMs,
    leftMs: () => msUntilDeadline(limits, now()),
    onWait: (waiting) => emit(redactor.value({ type: 'waiting', ...waitingEvent(waiting, now()) })),
    onResume: () => emit({ type: 'waiting_ended' }),
    onOver(over) {
      const why = redactor.text(overText(over, { maxWaitMs, now: now() }))
      controller.abort(new WaitOverError(why, counts.text()))
    },
  })
  return {
    begin: (isIdle) => limit.begin(isIdle),
    signal: controller.signal,
    see: counts.see,
    [Symbol.dispose]: () => limit[Symbol.dispose](),
  }
}

function waitingEvent({ why, works, namedMs, endsMs }: WaitStatus, now: Date) {
  return { why, works, until: formatWaitMoment(namedMs, now), gives_up_at: formatWaitMoment(endsMs, now) }
}

/** The latest valid date. */
const lastMoment = 8.64e15

function formatWaitMoment(ms: number | null, now: Date): string | null {
  return ms === null ? null : new Date(Math.min(lastMoment, now.getTime() + ms)).toISOString()
}

function overText(
  { reason, why, namedMs }: WaitExceeded,
  { maxWaitMs, now }: { maxWaitMs: number; now: Date },
): string {
  const until = namedMs === null ? '' : `, until ${formatWaitMoment(namedMs, now)}`
  if (reason === 'reset_too_late') return `everything would wait beyond the deadline: ${why}${until}`
  return `no progress for ${spanText(maxWaitMs)} (--max-wait): ${why}${until}`
}

/** "15m", "2s". */
function spanText(ms: number): string {
  const seconds = Math.round(ms / 100) / 10
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`
}

/** Counts runs from the command's events. */
function countRuns() {
  let [planned, ended, graded] = [0, 0, 0]
  return {
    see(event: FlowEvent): void {
      if (event.type === 'plan_ready' || event.type === 'triggers_planned') {
        planned += event.runs
        ended += event.done
      }
      if (event.type === 'run_finished' && ['completed', 'timed_out'].includes(event.status)) ended += 1
      if (event.type === 'grade_finished' && event.again === undefined && event.judge_errors === 0) graded += 1
    },
    text(): string {
      if (planned === 0) return graded === 0 ? '' : `${graded} graded`
      return `${ended} of ${planned} runs have ended, ${Math.max(0, planned - ended)} are missing`
    },
  }
}

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

type WorkState = Wait | 'idle' | 'working'

/** Maximum milliseconds between two checks; a longer gap is time in which this process was stopped. */
const longestTick = 500
/** A wait is reported after this many milliseconds, or after half of the allowed time. */
const reportAfterMs = 5000

/** Measures the time in which all pieces of work wait and none makes progress. */
export class WaitLimit implements Disposable {
  readonly #options: WaitLimitOptions
  readonly #now: () => number
  readonly #tickMs: number
  readonly #works = new Set<() => WorkState>()
  #timer: NodeJS.Timeout | null = null
  #lastTick = 0
  /** Milliseconds waited since the last progress, excluding (once) the wait for a named time. */
  #waitedMs = 0
  /** Milliseconds of the present wait, for reports. */
  #stalledMs = 0
  /** The named time to wait for; null: none. `isUsed`: one has passed without progress since. */
  #named: { until: number | null; isUsed: boolean } = { until: null, isUsed: false }
  #reported: WaitStatus | null = null
  #isOver = false

  constructor(options: WaitLimitOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#tickMs = Math.max(20, Math.min(longestTick, options.maxWaitMs / 10))
  }

  /** A piece of work begins: it works until it reports a wait. `isIdle`: ignored until its first request. */
  begin(isIdle = false): TrackedWork {
    const waits = new Set<Wait>()
    let blocked: Wait | null = null
    let hasStarted = !isIdle
    const state = (): WorkState => {
      const [wait] = waits
      if (wait === undefined) return blocked ?? (hasStarted ? 'working' : 'idle')
      return { why: (blocked ?? wait).why, leftMs: () => wait.leftMs() ?? blocked?.leftMs() ?? null }
    }
    this.#works.add(state)
    if (this.#timer === null) {
      this.#lastTick = this.#now()
      this.#timer = setInterval(() => this.look(), this.#tickMs)
      this.#timer.unref()
    }
    return {
      start() {
        hasStarted = true
      },
      wait(wait) {
        hasStarted = true
        waits.add(wait)
        return () => waits.delete(wait)
      },
      block(wait) {
        hasStarted = true
        blocked = wait
      },
      unblock() {
        blocked = null
      },
      progress: () => {
        blocked = null
        this.#progress()
      },
      [Symbol.dispose]: () => {
        if (!this.#works.delete(state)) return
        if (this.#works.size === 0) this[Symbol.dispose]()
        // work that ends unblocked counts as progress; work that ends blocked was given up
        if (blocked === null && hasStarted) this.#progress()
      },
    }
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
    if (this.#isOver) return
    const states = [...this.#works].map((state) => state()).filter((state) => state !== 'idle')
    const waits = states.filter((state) => state !== 'working')
    if (waits.length > 0 && waits.length === states.length) this.#stall(waits, now, passed)
    else {
      this.#stalledMs = 0
      if (this.#reported !== null) this.#options.onResume()
      this.#reported = null
    }
  }

  #stall(waits: readonly Wait[], now: number, passed: number): void {
    this.#stalledMs += passed
    const left = waits.map((wait) => wait.leftMs())
    const known = left.filter((ms) => ms !== null)
    const namedMs = known.length === 0 ? null : Math.max(...known)
    const allowedMs = this.#options.maxWaitMs - this.#waitedMs
    // a time within the allowed wait needs no exception; a second one without progress in between gets none
    if (namedMs !== null && namedMs > allowedMs && this.#named.until === null && !this.#named.isUsed) {
      this.#named.until = now + namedMs
    }
    const { until } = this.#named
    const endsMs = until === null ? Math.max(0, allowedMs) : null
    const waiting = { why: waits[left.indexOf(namedMs)]?.why ?? '', works: waits.length, namedMs, endsMs }
    const deadlineMs = this.#options.leftMs()
    const isTooLate = deadlineMs !== null && left.every((ms) => ms !== null && ms > deadlineMs)
    if (until === null) this.#waitedMs += passed
    else if (now >= until) {
      // the waiting work may try, and has the whole allowed time for it
      this.#named = { until: null, isUsed: true }
      this.#waitedMs = 0
    }
    if (isTooLate) this.#end('reset_too_late', waiting)
    else if (this.#waitedMs >= this.#options.maxWaitMs) this.#end('max_wait', waiting)
    else this.#report(waiting)
  }

  #progress(): void {
    this.#waitedMs = 0
    this.#named = { until: null, isUsed: false }
  }

  #report(waiting: WaitStatus): void {
    if (this.#stalledMs < Math.min(reportAfterMs, this.#options.maxWaitMs / 2)) return
    if (this.#reported !== null && (this.#reported.endsMs === null) === (waiting.endsMs === null)) return
    this.#reported = waiting
    this.#options.onWait(waiting)
  }

  #end(reason: WaitExceeded['reason'], waiting: WaitStatus): void {
    this.#isOver = true
    this[Symbol.dispose]()
    this.#options.onOver({ ...waiting, reason })
  }
}
