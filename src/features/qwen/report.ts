/** Turns what was read from a run of Qwen Code into a report at its end, and says whether and why the run failed. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { Usage } from '../../../schemas/usage.ts'
import type { ProcessEnd } from '../../base/process/spawn.ts'
import { toStopReason } from '../../engines/answers/run_outcome.ts'
import type { CliTurn } from '../../engines/cli/conversation.ts'
import { tooDeepError } from '../../engines/cli/json_line.ts'
import { silentEndError, toRunError } from '../../engines/cli/run_failure.ts'
import { type EngineError, type EngineReport, emptyReport } from '../../engines/engine.ts'
import { findServerError } from '../../engines/environment/suite_servers.ts'
import { contextFull, kindOfStatus, saysContextFull } from '../../engines/limits/error_text.ts'
import { countTokens, knownUsage, withCost, withoutEarlier } from '../../engines/models/cost.ts'
import { openaiModel } from '../../engines/models/providers.ts'
import type { ChatRecord, FailedRequest, LoggedRequests } from './chat_record.ts'
import type { QwenStream } from './stream.ts'
import { noTokens, type QwenTokens } from './stream.ts'

/** What was read from one run. */
export interface QwenSources {
  task: CliTurn
  stream: QwenStream
  chat: ChatRecord
  requests: LoggedRequests
}

/** Its exit code when it would go on after its last allowed turn. */
const turnsExitCode = 53

/** The report from what was seen. `end`: null while it runs, or if Whetstone ended it. Never rejects. */
export function qwenReport(sources: QwenSources, end: ProcessEnd | null): Promise<EngineReport> {
  const { task, stream, chat, requests } = sources
  const text = stream.result?.result ?? stream.lastText
  return withCost({
    ...emptyReport,
    finalResponse: text,
    version: stream.init?.qwen_code_version ?? null,
    model: stream.model ?? openaiModel(task.model),
    provider: 'openai',
    sessionId: stream.init?.session_id ?? null,
    usage: chooseUsage(sources),
    stopReason: ownEnd(sources, end) ?? toStopReason(requests.finishReason),
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    loaded: toLoaded(sources),
    permissionDenials: stream.result?.permission_denials.map(({ tool_name }) => tool_name) ?? null,
    answered: hasAnswered(sources),
    retrying: chat.failures > 0 && chat.lastError !== null ? classifyFailure(chat.lastError) : null,
  })
}

function hasAnswered({ stream, chat }: QwenSources): boolean {
  return chat.answers > 0 || stream.hasAnswered
}

/** A judge is offered no skills. */
function toLoaded({ task, stream: { init }, requests }: QwenSources): EngineReport['loaded'] {
  const skills = task.tools === 'all' ? requests.offered : []
  if (init === null || skills === null) return null
  const mcp_servers = init.mcp_servers.map((one) => (typeof one === 'string' ? one : one.name))
  return { skills, tools: init.tools ?? null, mcp_servers }
}

/**
 * The stream's totals count sub-agents too, but not the reasoning. On a busy machine the totals, and the record too, may miss the last
 * response, which the stream's lines then show.
 */
function chooseUsage({ task, stream, chat }: QwenSources): Usage | null {
  const { reasoning_tokens } = chat.usage
  const shown = toUsage(stream.tokens)
  const seen = countTokens(shown) > countTokens(chat.usage) ? shown : chat.usage
  const total = toUsage(stream.result?.usage ?? noTokens)
  const own = withoutEarlier(total, task.resumes?.usage ?? null, seen)
  const most = countTokens(own) < countTokens(seen) ? seen : own
  return knownUsage(reasoning_tokens === undefined ? most : { ...most, reasoning_tokens })
}

/** Qwen Code counts cached tokens as input too, and none that are written to a cache. */
function toUsage({ input_tokens, output_tokens, cache_read_input_tokens }: QwenTokens): Usage {
  const cached = Math.min(cache_read_input_tokens, input_tokens)
  return { input_tokens: input_tokens - cached, output_tokens, cache_read_tokens: cached, cache_write_tokens: 0 }
}

/** The stop reason if the agent ended by itself, though Qwen Code may call it an error: such runs are graded. null: it ended otherwise. */
function ownEnd(sources: QwenSources, end: ProcessEnd | null): string | null {
  const { task, stream, requests } = sources
  if (task.maxTurns !== null && end?.exitCode === turnsExitCode) return 'max_turns'
  if (stream.result?.is_error === false) return null
  if (stream.isAskingAgain && requests.finishReason === 'content_filter') return 'refusal'
  const failed = findFailedRequest(sources)
  return failed !== null && hasAnswered(sources) && saysContextFull(failed.message) ? contextFull : null
}

/** The request whose failure ended the run, by Qwen Code's last record, or by its own record of the session; null: there is none. */
function findFailedRequest({ stream: { result }, chat }: QwenSources): FailedRequest | null {
  if (result === null) return chat.failures > 0 ? chat.lastError : null
  if (!result.is_error) return null
  const message = result.error?.message ?? ''
  const [, status] = /^\[API Error: (\d{3})\b/.exec(message) ?? []
  return { message, status: status === undefined ? null : Number(status) }
}

/** Why the run failed; null: it did not. */
export function qwenFailure(sources: QwenSources, end: ProcessEnd | null): EngineError | null {
  const { stream } = sources
  const broken = findServerError(stream.brokenServers)
  if (broken !== null) return broken
  if (ownEnd(sources, end) !== null) return null
  if (stream.result?.is_error === false) return stream.others.isTooDeep ? tooDeepError : null
  const failed = findFailedRequest(sources)
  if (failed !== null) {
    const { kind, message } = classifyFailure(failed)
    return toRunError(kind, message)
  }
  return silentEndError('Qwen Code gave no answer', { end, others: stream.others })
}

function classifyFailure({ message, status }: FailedRequest): { kind: FailureKind; message: string } {
  if (saysContextFull(message)) return { kind: 'bad_request', message }
  if (status === 503) return { kind: 'overloaded', message } // OpenAI's status for a server that is overloaded
  if (status !== null && status >= 400) return { kind: kindOfStatus(status), message }
  return { kind: kinds.find(([pattern]) => pattern.test(message))?.[1] ?? 'server_error', message }
}

/** Failure kinds by the text of an error without a status. */
const kinds: readonly (readonly [RegExp, FailureKind])[] = [
  [/terminated|other side closed|closed unexpectedly/i, 'server_error'], // it had been established before
  [/connection error|ECONN|ENOTFOUND|EAI_AGAIN|fetch failed/i, 'unreachable'],
  [/model stream ended/i, 'bad_output'],
]
