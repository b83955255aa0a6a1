/** What Codex's stream and session amount to at their end: a report, and whether the run failed and why. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { Usage } from '../../../schemas/usage.ts'
import type { ProcessEnd } from '../../base/spawn.ts'
import { estimateCost } from '../cost.ts'
import { type EngineError, type EngineReport, type EngineTask, emptyReport } from '../engine.ts'
import { kindOfStatus, mayPass } from '../http_status.ts'
import { lastJsonObject } from '../json_answer.ts'
import { saidTooDeep } from '../json_line.ts'
import { told } from '../usage.ts'
import type { CodexJournal } from './journal.ts'
import type { CodexUsage } from './records.ts'
import type { CodexStream } from './stream.ts'

/** The report from what was seen. `end` null: it was ended because it had had its turns. Never rejects. */
export async function reportOf(
  stream: CodexStream,
  journal: CodexJournal,
  { task, end }: { task: EngineTask; end: ProcessEnd | null },
): Promise<EngineReport> {
  const own = stream.end?.status === 'completed' ? stream.end.usage : null
  const usage = usageOf(own ?? journal.tokens)
  const model = journal.model ?? task.model
  return {
    ...emptyReport,
    finalResponse: stream.lastMessage,
    answer: task.answerSchema === null ? undefined : lastJsonObject(stream.lastMessage),
    version: journal.version,
    model,
    provider: 'openai',
    sessionId: stream.threadId,
    usage,
    cost: usage === null || model === null ? null : await estimateCost(usage, model, 'openai'),
    stopReason: end === null ? 'max_turns' : stopReason(stream),
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    loaded: journal.skills === null ? null : { skills: journal.skills, tools: null, mcp_servers: null },
    permissionDenials: [...stream.denied],
  }
}

function stopReason({ end }: CodexStream): string | null {
  if (end === null) return null
  return end.status === 'completed' ? 'end_turn' : (outOfTokens(end.message) ?? 'failed')
}

/** OpenAI counts cached tokens as input too; here each token is counted once. */
function usageOf(usage: CodexUsage | null): Usage | null {
  if (usage === null) return null
  const { input_tokens, cached_input_tokens: read, cache_write_input_tokens: written } = usage
  return told({
    input_tokens: Math.max(0, input_tokens - read - written),
    output_tokens: usage.output_tokens,
    cache_read_tokens: read,
    cache_write_tokens: written,
    ...(usage.reasoning_output_tokens > 0 ? { reasoning_tokens: usage.reasoning_output_tokens } : {}),
  })
}

/** An end that the agent came to itself, though Codex calls it an error; null: it is none. */
function outOfTokens(message: string): string | null {
  if (/^Incomplete response returned, reason: /.test(message)) return message.split(': ')[1] ?? 'incomplete'
  return /ran out of room in the model's context window/.test(message) ? 'context_window' : null
}

/** Why the run failed; null: it did not. */
export function failureOf(stream: CodexStream, end: ProcessEnd): EngineError | null {
  if (stream.end === null) return noEnd(stream, end)
  if (stream.end.status === 'completed') return stream.saidTooDeep ? saidTooDeep : null
  const { message } = stream.end
  if (outOfTokens(message) !== null) return null
  const kind = kindOfFailure(message)
  return { kind, message, retryable: mayPass(kind), retryAfterMs: retryAfter(message) }
}

function noEnd({ unreadable, lastError }: CodexStream, end: ProcessEnd): EngineError {
  const how = end.exitCode === null ? `ended by ${end.signal}` : `exit code ${end.exitCode}`
  const said = [lastError, end.stderrTail.trim(), unreadable && `last unreadable line: ${unreadable.slice(0, 300)}`]
  const message = [`codex did not end its turn (${how})`, ...said].filter(Boolean).join(': ')
  return { kind: end.exitCode === 0 ? 'bad_output' : 'crash', message, retryable: true, retryAfterMs: null }
}

/** What its messages say where they name no status, in the order of looking. */
const kindOfText: readonly (readonly [RegExp, FailureKind])[] = [
  [/rate limit|usage limit|too many requests/i, 'rate_limited'],
  [/quota exceeded|billing|api key|not logged in|unauthorized/i, 'credentials'],
  [/at capacity|overloaded/i, 'overloaded'],
  [/high demand|stream disconnected|internal server error/i, 'server_error'],
  [/connection failed|error sending request|timed? ?out|dns|network/i, 'unreachable'],
  [/^\s*\{.*"error"|invalid request|not supported|model .*(?:not found|does not exist)/is, 'bad_request'],
]

function kindOfFailure(message: string): FailureKind {
  const status = /\bstatus:? (\d{3})\b/.exec(message)?.[1]
  if (status !== undefined) return kindOfStatus(Number(status))
  return kindOfText.find(([pattern]) => pattern.test(message))?.[1] ?? 'server_error'
}

/** "Please try again in 1.5s", as the API says it. */
function retryAfter(message: string): number | null {
  const found = /try again in ([\d.]+)\s?(ms|s)\b/i.exec(message)
  if (found === null) return null
  return Math.ceil(Number(found[1]) * (found[2] === 'ms' ? 1 : 1000))
}
