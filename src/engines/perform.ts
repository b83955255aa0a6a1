/** Runs a task at the gate of its account: an agent that sends its own requests holds one slot all the time. */
import type { Engine, EngineContext, EngineOutcome, EngineTask } from './engine.ts'
import { type Gate, slotEndOf } from './gate.ts'

/** As engine.run, which it calls; what was waited at the gate is in the report. */
export async function runAtGate(
  engine: Engine,
  task: EngineTask,
  context: EngineContext & { gate: Gate },
): Promise<EngineOutcome> {
  const { gate } = context
  const before = gate.waitedMs
  const outcome =
    engine.account?.slots === 'runs' ? await inSlot(engine, task, context) : await engine.run(task, context)
  const waitedMs = outcome.report.waitedMs + gate.waitedMs - before
  return { ...outcome, report: { ...outcome.report, waitedMs } }
}

async function inSlot(engine: Engine, task: EngineTask, context: EngineContext & { gate: Gate }) {
  const slot = await context.gate.enter(context.signal, context.gate.refusals > 0)
  try {
    const outcome = await engine.run(task, context)
    slot.end(slotEndOf(outcome))
    return outcome
  } finally {
    slot.end({ as: 'failed' })
  }
}
