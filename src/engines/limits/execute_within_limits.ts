/** Runs a task under the rate limit of its account: an agent that sends its own requests holds one slot for its whole run. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { SlotEnd } from '../../base/rate_limit_slot.ts'
import type { EmittedEvent, Engine, EngineContext, EngineOutcome, EngineTask } from '../engine.ts'
import type { RateLimiter } from './rate_limiter.ts'

/** Calls engine.run, and adds to its report the time that the rate limiter made it wait. */
export async function runRateLimited(
  engine: Engine,
  task: EngineTask,
  context: EngineContext & { gate: RateLimiter },
): Promise<EngineOutcome> {
  const { gate } = context
  const before = gate.waitedMs
  const emit: EngineContext['emit'] = (event) => {
    if (isProgress(event)) gate.progress()
    context.emit(event)
  }
  const watched = { ...context, emit }
  const run = () => engine.run(task, watched)
  const place = { gate, signal: context.signal, again: gate.refusals > 0 }
  const outcome = engine.account?.slots === 'runs' ? await workInSlot(place, run, toSlotEnd) : await run()
  if (outcome.status === 'completed') gate.progress()
  else if (isOutageKind(outcome.error.kind)) {
    gate.block(`${outcome.error.kind}: ${outcome.error.message}`, outcome.error.retryAfterMs)
  }
  const waitedMs = outcome.report.waitedMs + gate.waitedMs - before
  return { ...outcome, report: { ...outcome.report, waitedMs } }
}

/** Whether the event shows that the model answered. */
function isProgress({ type }: EmittedEvent): boolean {
  return ['assistant', 'thinking', 'tool_call', 'tool_result'].includes(type)
}

/** Whether waiting is the only way to get past such a failure. */
export function isOutageKind(kind: FailureKind): boolean {
  return ['rate_limited', 'overloaded', 'server_error', 'unreachable'].includes(kind)
}

/** Does the work in a slot of the account; `again`: it was refused before. */
export async function workInSlot<R>(
  { gate, signal, again }: { gate: RateLimiter; signal: AbortSignal; again: boolean },
  work: () => Promise<R>,
  toEnd: (result: R) => SlotEnd,
): Promise<R> {
  const slot = await gate.enter(signal, again)
  try {
    const result = await work()
    slot.end(toEnd(result))
    return result
  } finally {
    slot.end({ as: 'failed' })
  }
}

/** What the outcome of an agent that sends its own requests says about the account's limit. */
function toSlotEnd(outcome: EngineOutcome): SlotEnd {
  if (outcome.status === 'completed') return { as: 'served' }
  const { kind, retryAfterMs } = outcome.error
  return kind === 'rate_limited' ? { as: 'refused', retryAfterMs } : { as: 'failed' }
}
