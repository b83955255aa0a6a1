/** Turns what Gemini CLI showed into a report at its end, and says whether and why the run failed. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { Usage } from '../../../schemas/usage.ts'
import type { ProcessEnd } from '../../base/process/spawn.ts'
import { lastJsonObject } from '../answers/json_answer.ts'
import { tooDeepError } from '../cli/json_line.ts'
import { type EngineError, type EngineReport, type EngineTask, emptyReport, type ProviderError } from '../engine.ts'
import { contextFull, saysContextFull } from '../limits/context_full.ts'
import { isRetryableKind, kindOfStatus } from '../limits/http_status.ts'
import { parseResetMs } from '../limits/reset_time.ts'
import { estimateCost } from '../models/cost.ts'
import { knownUsage } from '../models/usage.ts'
import type { GeminiLog, GeminiRequestError } from './log.ts'
import { geminiModel, geminiProvider } from './model.ts'
import type { GeminiStream } from './stream.ts'

export interface GeminiEnd {
  task: EngineTask
  version: string | null
  /** null: it runs, or Whetstone ended it. */
  end: ProcessEnd | null
}

/** The report from what was seen. Never rejects. */
export async function geminiReport(
  stream: GeminiStream,
  log: GeminiLog,
  { task, version, end }: GeminiEnd,
): Promise<EngineReport> {
  const usage = countTokens(stream, log)
  const model = log.model ?? stream.model ?? geminiModel(task.model)
  return {
    ...emptyReport,
    finalResponse: stream.lastText,
    answer: task.answerSchema === null ? undefined : lastJsonObject(stream.lastText),
    version,
    model,
    provider: geminiProvider,
    sessionId: stream.sessionId,
    usage,
    cost: usage === null ? null : await estimateCost(usage, model, geminiProvider),
    stopReason: ownEnd(stream, log) ?? toStopReason(log.finishReason),
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    loaded: log.skills === null ? null : { skills: log.skills, tools: null, mcp_servers: null },
    permissionDenials: [...stream.denied],
    answered: hasAnswered(stream, log),
    retrying: log.error === null ? null : toProviderError(log.error),
  }
}

function hasAnswered({ hasToolResult }: GeminiStream, { tokens }: GeminiLog): boolean {
  return hasToolResult || tokens.length > 0
}

/** The result has the tokens of all models; a run that was ended has none, and what its log shows counts. */
function countTokens({ result }: GeminiStream, { tokens }: GeminiLog): Usage | null {
  const stats = result?.stats
  if (stats !== undefined && stats.total_tokens > 0) {
    const output = Math.max(stats.output_tokens, stats.total_tokens - stats.input_tokens)
    const { input_tokens: input, cached } = stats
    return toUsage({ input, cached, output, thoughts: output - stats.output_tokens })
  }
  if (tokens.length === 0) return null
  const sum = (pick: (one: (typeof tokens)[number]) => number) => tokens.reduce((before, one) => before + pick(one), 0)
  const thoughts = sum((one) => one.thoughts)
  const output = sum((one) => one.output) + thoughts
  return toUsage({ input: sum((one) => one.input), cached: sum((one) => one.cached), output, thoughts })
}

/** `input` includes cached tokens, `output` includes thoughts. The API counts no tokens that it wrote to a cache. */
function toUsage(all: { input: number; cached: number; output: number; thoughts: number }): Usage | null {
  return knownUsage({
    input_tokens: Math.max(0, all.input - all.cached),
    output_tokens: all.output,
    cache_read_tokens: all.cached,
    cache_write_tokens: 0,
    ...(all.thoughts > 0 ? { reasoning_tokens: all.thoughts } : {}),
  })
}

/** Finish reasons in the words of the other engines; any other word is kept. */
const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  max_tokens: 'max_tokens',
  content_filter: 'refusal',
  safety: 'refusal',
  prohibited_content: 'refusal',
}

function toStopReason(reason: string | null): string | null {
  const word = reason?.toLowerCase() ?? null
  return word === null ? null : (stopReasons[word] ?? word)
}

/** The stop reason if the agent ended by itself, though the CLI may call it an error: such runs are graded. null: it ended otherwise. */
function ownEnd(stream: GeminiStream, log: GeminiLog): string | null {
  const { result } = stream
  if (result === null || result.status === 'success') return null
  if (result.error === undefined) {
    // an answer without text, such as a refusal
    const reason = toStopReason(log.finishReason)
    return reason === 'refusal' || reason === 'max_tokens' ? reason : null
  }
  if (result.error.type === 'FatalTurnLimitedError') return 'max_turns'
  return hasAnswered(stream, log) && saysContextFull(result.error.message) ? contextFull : null
}

/** Why the run failed; null: it did not. */
export function geminiFailure(stream: GeminiStream, log: GeminiLog, end: ProcessEnd | null): EngineError | null {
  if (ownEnd(stream, log) !== null) return null
  const { result, others } = stream
  if (result?.status === 'success') return others.isTooDeep ? tooDeepError : null
  if (result?.error !== undefined) {
    const message = plainMessage(result.error.message)
    return toError(classify({ status: statusOfExit(end?.exitCode ?? null), message }), message)
  }
  if (result !== null) return toError('bad_output', stream.lastError ?? 'gemini gave no answer')
  if (log.error !== null) return toError(classify(log.error), plainMessage(log.error.message))
  const how =
    end === null ? 'it was ended' : end.exitCode === null ? `ended by ${end.signal}` : `exit code ${end.exitCode}`
  const said = [end?.stderrTail.trim(), others.unreadable?.slice(0, 300)]
  const message = [`gemini gave no answer (${how})`, ...said].filter(Boolean).join(': ')
  return toError(end?.exitCode === 0 ? 'bad_output' : 'crash', message)
}

/** After a failed request, its exit code is the status, of which the system keeps the last eight bits. */
function statusOfExit(code: number | null): number | null {
  return code !== null && code >= (400 & 255) ? code + 256 : null
}

function toProviderError(error: GeminiRequestError): ProviderError {
  return { kind: classify(error), message: plainMessage(error.message) }
}

function toError(kind: FailureKind, message: string): EngineError {
  const retryAfterMs = kind === 'rate_limited' ? parseResetMs(message) : null
  return { kind, message, retryable: isRetryableKind(kind), retryAfterMs }
}

/** Google refuses a bad key with status 400, and says with 503 that a model is overloaded. */
function classify({ status, message }: GeminiRequestError): FailureKind {
  if (/API.?key (?:not valid|expired)|API_KEY_INVALID/i.test(message)) return 'credentials'
  if (saysContextFull(message)) return 'bad_request'
  if (status === 503) return 'overloaded'
  if (status !== null) return kindOfStatus(status)
  if (/quota|rate.?limit|RESOURCE_EXHAUSTED/i.test(message)) return 'rate_limited'
  return /fetch failed|ECONN|ENOTFOUND|EAI_AGAIN|network/i.test(message) ? 'unreachable' : 'server_error'
}

/** The message within the CLI's own words and Google's JSON. */
function plainMessage(text: string): string {
  const inner = /^\[API Error: ([\s\S]*?)\](?:\n|$)/.exec(text)?.[1] ?? text
  return /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(inner)?.[1] ?? inner
}
