/** Ends an engine's run as soon as the skill is read: then it is known that the skill is used, and the rest need not be paid for. */
import { type Engine, type EngineContext, type EngineOutcome, type EngineTask, emptyReport } from '../engine.ts'
import { completeRun } from './run_outcome.ts'

/** The stop reason in the record of such a run. */
export const readStop = 'skill_read'

/** `skill` null: any of the installed ones. The engine is then aborted, as on a timeout; its caller sees a run that completed. */
export function stopAtRead(engine: Engine, skill: string | null): Engine {
  return { ...engine, run: (task, context) => runUntilRead(engine, { task, context, skill }) }
}

interface UntilReadRequest {
  task: EngineTask
  context: EngineContext
  skill: string | null
}

async function runUntilRead(engine: Engine, { task, context, skill }: UntilReadRequest): Promise<EngineOutcome> {
  const known = new AbortController()
  const read = { step: 0 }
  let soFar = () => Promise.resolve(emptyReport)
  const own: EngineContext = {
    ...context,
    signal: AbortSignal.any([context.signal, known.signal]),
    soFar(report) {
      soFar = report
      context.soFar?.(report)
    },
    emit(event) {
      // the run is being ended: what the agent still does is not part of it
      if (known.signal.aborted) return
      context.emit(event)
      if (event.type !== 'skill_read' || (skill !== null && event.skill !== skill)) return
      read.step = event.step
      known.abort(new Error(`${event.skill} was read`))
    },
  }
  const end = (report: EngineOutcome['report']) => completeRun(context, { ...report, stopReason: readStop }, read.step)
  try {
    const outcome = await engine.run(task, own)
    return known.signal.aborted ? end(outcome.report) : outcome
  } catch (error) {
    context.signal.throwIfAborted()
    if (!known.signal.aborted) throw error
    return end(await soFar())
  }
}
