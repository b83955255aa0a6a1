/** Ends an engine's run as completed or failed, with the event for the transcript, and says why its last response ended, in the same words for all engines. */
import type { EngineContext, EngineError, EngineOutcome, EngineReport } from '../engine.ts'
import { countTokens, noUsage } from '../models/cost.ts'

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

/** Ends a run as completed if its model answered; an only response without text, structured answer and tokens is none. */
export function completeAnswer(context: EngineContext, report: EngineReport, step: number): EngineOutcome {
  const { usage, finalResponse, answer, stopReason } = report
  const isSilent = finalResponse.trim() === '' && answer === undefined && countTokens(usage ?? noUsage) === 0
  if (step > 1 || !isSilent || !endsTurn(stopReason)) return completeRun(context, report, step)
  const message = "the model's server gave no answer: neither text nor tokens; check what answers at its address"
  const error = { kind: 'server_error', message, retryable: true, retryAfterMs: null } as const
  return failRun(context, error, { report: { ...report, usage: null, answered: false }, step })
}

/** Ends a run as failed, with its `error` event. */
export function failRun(context: EngineContext, error: EngineError, at: { report: EngineReport; step: number }) {
  context.emit({ type: 'error', step: at.step, kind: error.kind, message: error.message })
  return { status: 'failed', error, report: at.report } satisfies EngineOutcome
}

/** By the words of Chat Completions, the AI SDK, the Gemini API and the agent CLIs. */
const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  'tool-calls': 'tool_use',
  toolUse: 'tool_use',
  length: 'max_tokens',
  model_length: 'max_tokens', // Mistral
  content_filter: 'refusal',
  'content-filter': 'refusal',
  safety: 'refusal',
  prohibited_content: 'refusal',
}

/** Ends that are not the end of a turn: the agent was cut short, refused, or was stopped. */
const cutShort = new Set(['max_tokens', 'max_turns', 'context_window', 'refusal', 'hook', 'error_max_turns'])

/** Whether the agent ended its turn by itself, so that the user may go on. */
export function endsTurn(stopReason: string | null): boolean {
  return stopReason === null || !cutShort.has(stopReason)
}

/** In the words of the Anthropic API; any other word is kept. */
export function toStopReason(reason: string): string
export function toStopReason(reason: string | null): string | null
export function toStopReason(reason: string | null): string | null {
  return reason === null ? null : (stopReasons[reason] ?? reason)
}
