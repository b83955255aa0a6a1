/** Limits a command's waits: without progress for too long, everything ends with the cause and how to resume. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { Stop } from '../../../schemas/limits.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { WaitOverError } from '../../base/errors/error.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { type WaitExceeded, WaitLimit, type WaitStatus } from '../../jobs/wait_limit.ts'
import { isRunDone } from '../../store/is_run_done.ts'
import { readRun } from '../../store/store.ts'
import type { FlowContext, Waits } from '../flow_context.ts'
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
  const stored = await Promise.all(
    plan.runs.map(async (spec) => ({ spec, stored: await readRun(folder, spec.run_id) })),
  )
  const done = stored.filter(({ spec, stored }) => stored !== null && isRunDone(stored, spec)).length
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
  const counts = new Counts()
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
    see: (event) => counts.see(event),
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
class Counts {
  #planned = 0
  #ended = 0
  #graded = 0

  see(event: FlowEvent): void {
    if (event.type === 'plan_ready' || event.type === 'triggers_planned') {
      this.#planned += event.runs
      this.#ended += event.done
    }
    if (event.type === 'run_finished' && isEnd(event.status)) this.#ended += 1
    if (event.type === 'grade_finished' && event.again === undefined && event.judge_errors === 0) this.#graded += 1
  }

  text(): string {
    if (this.#planned === 0) return this.#graded === 0 ? '' : `${this.#graded} graded`
    const missing = Math.max(0, this.#planned - this.#ended)
    return `${this.#ended} of ${this.#planned} runs have ended, ${missing} are missing`
  }
}

function isEnd(status: Extract<FlowEvent, { type: 'run_finished' }>['status']): boolean {
  return status === 'completed' || status === 'timed_out'
}
