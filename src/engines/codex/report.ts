/** Turns Codex's stream and session into a report at their end, and says whether and why the run failed. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { Usage } from '../../../schemas/usage.ts'
import type { ProcessEnd } from '../../base/process/spawn.ts'
import type { CliTurn } from '../cli/conversation.ts'
import { tooDeepError } from '../cli/json_line.ts'
import { silentEndError } from '../cli/run_failure.ts'
import { type EngineError, type EngineReport, emptyReport } from '../engine.ts'
import { findServerError } from '../environment/suite_servers.ts'
import { contextFull, isRetryableKind, kindOfStatus, saysContextFull } from '../limits/error_text.ts'
import { parseResetMs } from '../limits/rate_headers.ts'
import { estimateCost, knownUsage, withoutEarlier } from '../models/cost.ts'
import type { CodexJournal } from './session_file.ts'
import type { CodexStream } from './stream.ts'
import type { CodexUsage } from './stream_records.ts'

/** The report from what was seen. `end` null: Codex was ended after its last allowed turn. Never rejects. */
export async function codexReport(
  stream: CodexStream,
  journal: CodexJournal,
  { task, end }: { task: CliTurn; end: ProcessEnd | null },
): Promise<EngineReport> {
  const own = toCodexUsage(stream.end?.status === 'completed' ? stream.end.usage : null)
  const recorded = toCodexUsage(journal.tokens)
  const usage = own === null ? recorded : withoutEarlier(own, task.resumes?.usage ?? null, recorded)
  const model = journal.model ?? task.model
  return {
    ...emptyReport,
    finalResponse: stream.lastText,
    version: journal.version,
    model,
    provider: 'openai',
    sessionId: stream.threadId,
    usage,
    cost: usage === null || model === null ? null : await estimateCost(usage, model, 'openai'),
    stopReason: end === null ? 'max_turns' : stopReason(stream, journal),
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    loaded: journal.skills === null ? null : { skills: journal.skills, tools: null, mcp_servers: null },
    permissionDenials: [...stream.denied],
    answered: hasAnswered(stream, journal),
    retrying: stream.retried === null ? null : { kind: kindOfFailure(stream.retried), message: stream.retried },
  }
}

/** The stream shows messages and calls; the session file also shows a response without either. */
function hasAnswered(stream: CodexStream, journal: CodexJournal): boolean {
  return stream.step > 0 || journal.responses > 0
}

function stopReason(stream: CodexStream, journal: CodexJournal): string | null {
  const { end } = stream
  if (end === null) return null
  return end.status === 'completed' ? 'end_turn' : (ownEnd(end.message, hasAnswered(stream, journal)) ?? 'failed')
}

/** OpenAI also counts cached tokens as input; here each token is counted once. */
export function toCodexUsage(usage: CodexUsage | null): Usage | null {
  if (usage === null) return null
  const { input_tokens, cached_input_tokens: read, cache_write_input_tokens: written } = usage
  return knownUsage({
    input_tokens: Math.max(0, input_tokens - read - written),
    output_tokens: usage.output_tokens,
    cache_read_tokens: read,
    cache_write_tokens: written,
    ...(usage.reasoning_output_tokens > 0 ? { reasoning_tokens: usage.reasoning_output_tokens } : {}),
  })
}

/** Why a response was incomplete, in the words of the other engines; any other word is kept. */
const incomplete: Readonly<Record<string, string>> = { max_output_tokens: 'max_tokens', content_filter: 'refusal' }

/** The stop reason if the agent ended by itself, though Codex calls it an error; null: it is an error. */
function ownEnd(message: string, answered: boolean): string | null {
  const reason = /^Incomplete response returned, reason: (.*)$/.exec(message)?.[1]
  if (reason !== undefined) return incomplete[reason] ?? reason
  return answered && saysContextFull(message) ? contextFull : null
}

/** Servers that are required and did not start, as its error names them. */
function findBrokenServers({ stderrTail }: ProcessEnd): string[] {
  const [, list = ''] = /required MCP servers failed to initialize: (.*)/.exec(stderrTail) ?? []
  return [...list.matchAll(/(?:^|; )([\w-]+): /g)].flatMap(([, name]) => name ?? [])
}

/** Why the run failed; null: it did not. */
export function codexFailure(stream: CodexStream, journal: CodexJournal, end: ProcessEnd): EngineError | null {
  if (stream.end === null) {
    const broken = findServerError(findBrokenServers(end))
    if (broken !== null) return broken
    return silentEndError('codex did not end its turn', { end, others: stream.others, lastError: stream.lastError })
  }
  if (stream.end.status === 'completed') return stream.others.isTooDeep ? tooDeepError : null
  const { message } = stream.end
  if (ownEnd(message, hasAnswered(stream, journal)) !== null) return null
  const kind = kindOfFailure(message)
  return { kind, message, retryable: isRetryableKind(kind), retryAfterMs: parseResetMs(message) }
}

/** Failure kinds by the text of messages without a status; the first match counts. */
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
  if (saysContextFull(message)) return 'bad_request'
  return kindOfText.find(([pattern]) => pattern.test(message))?.[1] ?? 'server_error'
}
