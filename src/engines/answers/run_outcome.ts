/** Ends an engine's run as completed or failed, and emits the event for the transcript. */
import type { EngineContext, EngineError, EngineOutcome, EngineReport } from '../engine.ts'

/** Ends a run as completed, with its `result` event. */
export function completeRun(context: EngineContext, report: EngineReport, step: number): EngineOutcome {
  context.emit({
    type: 'result',
    step,
    text: report.finalResponse,
    stop_reason: report.stopReason ?? 'end',
    usage: report.usage,
    cost_usd: report.cost?.usd ?? null,
  })
  return { status: 'completed', report }
}

/** Ends a run as failed, with its `error` event. */
export function failRun(context: EngineContext, error: EngineError, at: { report: EngineReport; step: number }) {
  context.emit({ type: 'error', step: at.step, kind: error.kind, message: error.message })
  return { status: 'failed', error, report: at.report } satisfies EngineOutcome
}
