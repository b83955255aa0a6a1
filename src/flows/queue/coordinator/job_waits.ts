/** Counts submitted runs as waiting while no worker takes them, the queue server is silent, or runs end in outages. */
import type { FlowEvent } from '../../../../schemas/flow_event.ts'
import { isOutageKind } from '../../../engines/limits/execute_within_limits.ts'
import type { RateLimiter } from '../../../engines/limits/rate_limiter.ts'
import type { Transport } from '../../../jobs/queue/transport.ts'
import type { RunResult } from '../../../phases/2-run/run.ts'
import type { RunRequest } from '../../../phases/2-run/run_request.ts'
import type { FlowContext } from '../../flow_context.ts'

export interface RunWaits {
  /** Passes events on, and follows the queue's state in them. */
  emit: (event: FlowEvent) => void
  /** A run counts as submitted while the work lasts. */
  during: (run: RunRequest, work: () => Promise<RunResult>) => Promise<RunResult>
  /** Throws an error at the end, unless the silent server was given up. */
  forgive: (error: unknown) => void
}

/** Gives up a server that is silent when everything ends: a request would wait until it returns. */
export function watchRunWaits(transport: Transport, context: Pick<FlowContext, 'emit' | 'signal'>): RunWaits {
  const out = new Set<RateLimiter>()
  let [isSilent, isGivenUp] = [false, false]
  const giveUp = () => {
    if (!isSilent) return
    isGivenUp = true
    void transport[Symbol.asyncDispose]()
  }
  context.signal.addEventListener('abort', giveUp, { once: true })
  /** Why no worker takes runs; null: one does. */
  let why: string | null = null
  const block = (message: string) => {
    why = message
    for (const gate of out) gate.block(message, null)
  }
  const release = () => {
    why = null
    for (const gate of out) gate.progress()
  }
  return {
    emit(event) {
      if (event.type === 'queue_unmet') block(event.message)
      if (event.type === 'queue_silent') isSilent = true
      if (event.type === 'queue_answers') isSilent = false
      if (event.type === 'queue_silent') block(`the queue server at ${event.place} does not answer`)
      if (event.type === 'queue_met' || event.type === 'queue_answers') release()
      context.emit(event)
    },
    forgive(error) {
      if (!isGivenUp) throw error
    },
    async during(run, work) {
      const { gate } = run
      if (gate === undefined) return await work()
      out.add(gate)
      if (why !== null) gate.block(why, null)
      try {
        const result = await work()
        reportRunEnd(gate, result)
        return result
      } finally {
        out.delete(gate)
      }
    },
  }
}

function reportRunEnd(gate: RateLimiter, { record, retry }: RunResult): void {
  if (record.status === 'failed' && isOutageKind(record.error.kind)) {
    gate.block(`${record.error.kind}: ${record.error.message}`, retry?.afterMs ?? null)
  } else gate.progress()
}
