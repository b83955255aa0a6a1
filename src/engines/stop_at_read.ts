/** An engine whose runs end as soon as the skill was read: then it is known that it is used, and the rest is not paid for. */
import { type Engine, type EngineContext, type EngineOutcome, type EngineTask, emptyReport } from './engine.ts'
import { complete } from './outcome.ts'

/** Why the run ended, in its record. */
export const readStop = 'skill_read'

/** The engine itself is aborted then, as for a timeout; for everyone else the run has completed. */
export function stopAtRead(engine: Engine, skill: string): Engine {
  return { ...engine, run: (task, context) => runUntilRead(engine, { task, context, skill }) }
}

interface Asked {
  task: EngineTask
  context: EngineContext
  skill: string
}

async function runUntilRead(engine: Engine, { task, context, skill }: Asked): Promise<EngineOutcome> {
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
      // what an agent does after that is of a run that is being ended
      if (known.signal.aborted) return
      context.emit(event)
      if (event.type !== 'skill_read' || event.skill !== skill) return
      read.step = event.step
      known.abort(new Error(`${skill} was read`))
    },
  }
  const end = (report: EngineOutcome['report']) => complete(context, { ...report, stopReason: readStop }, read.step)
  try {
    const outcome = await engine.run(task, own)
    return known.signal.aborted ? end(outcome.report) : outcome
  } catch (error) {
    context.signal.throwIfAborted()
    if (!known.signal.aborted) throw error
    return end(await soFar())
  }
}
