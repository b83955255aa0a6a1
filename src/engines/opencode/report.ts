/** What opencode's stream amounts to at its end: a report, and whether the run failed and why. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { Cost, Usage } from '../../../schemas/usage.ts'
import type { ProcessEnd } from '../../base/spawn.ts'
import { estimateCost } from '../cost.ts'
import { type EngineError, type EngineReport, type EngineTask, emptyReport } from '../engine.ts'
import { kindOfStatus, mayPass } from '../http_status.ts'
import { lastJsonObject } from '../json_answer.ts'
import { saidTooDeep } from '../json_line.ts'
import { told } from '../usage.ts'
import type { OpencodeLog } from './log.ts'
import type { OpencodeModel } from './model.ts'
import type { OpencodeTokens } from './records.ts'
import type { OpencodeStream } from './stream.ts'

interface Told {
  task: EngineTask
  model: OpencodeModel
  /** The skills that it offers; null: not known. */
  offered: string[] | null
  /** null: it was ended by us. */
  end: ProcessEnd | null
}

/** The report from what was seen. Never rejects. */
export async function reportOf(
  stream: OpencodeStream,
  log: OpencodeLog,
  { task, model, offered, end }: Told,
): Promise<EngineReport> {
  const usage = usageOf(stream.tokens)
  return {
    ...emptyReport,
    finalResponse: stream.lastText,
    answer: task.answerSchema === null ? undefined : lastJsonObject(stream.lastText),
    version: log.version,
    model: model.id,
    provider: model.provider,
    sessionId: stream.sessionId,
    usage,
    cost: usage === null ? null : await costOf(usage, stream.cost, model),
    stopReason: stream.hadEnough ? 'max_turns' : stopReasonOf(stream.reason),
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    loaded: offered === null ? null : { skills: offered, tools: null, mcp_servers: null },
    permissionDenials: [...stream.denied],
  }
}

/** Its words (the AI SDK's) in those of the other engines; any other stays as it is. */
const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
}

function stopReasonOf(reason: string | null): string | null {
  return reason === null ? null : (stopReasons[reason] ?? reason)
}

function costOf(usage: Usage, own: number, { id, provider }: OpencodeModel): Promise<Cost | null> {
  return own > 0 ? Promise.resolve({ usd: own, source: 'agent' }) : estimateCost(usage, id, provider)
}

/** Its total says whether reasoning is part of the output or stands beside it. */
function usageOf(all: readonly OpencodeTokens[]): Usage | null {
  const sum = (pick: (one: OpencodeTokens) => number) => all.reduce((before, one) => before + pick(one), 0)
  const cached = (one: OpencodeTokens) => one.cache.read + one.cache.write
  const reasoning = sum((one) => one.reasoning)
  return told({
    input_tokens: sum((one) => one.input),
    output_tokens: sum((one) =>
      one.total === undefined ? one.output + one.reasoning : Math.max(one.output, one.total - one.input - cached(one)),
    ),
    cache_read_tokens: sum((one) => one.cache.read),
    cache_write_tokens: sum((one) => one.cache.write),
    ...(reasoning > 0 ? { reasoning_tokens: reasoning } : {}),
  })
}

/** Why the run failed; null: it did not. */
export function failureOf(stream: OpencodeStream, log: OpencodeLog, end: ProcessEnd | null): EngineError | null {
  if (stream.hadEnough) return null
  if (stream.failure !== null) {
    const { name, data } = stream.failure
    const message = data?.message ?? name
    return errorOf(data?.statusCode === undefined ? kindOfText(message) : kindOfStatus(data.statusCode), message)
  }
  if (end === null) return errorOf(kindOfText(log.lastError ?? ''), log.lastError ?? 'its requests failed')
  if (stream.reason !== null && stream.reason !== 'tool-calls') return stream.saidTooDeep ? saidTooDeep : null
  const how = end.exitCode === null ? `ended by ${end.signal}` : `exit code ${end.exitCode}`
  const said = [log.lastError, end.stderrTail.trim(), stream.unreadable?.slice(0, 300)]
  const message = [`opencode gave no answer (${how})`, ...said].filter(Boolean).join(': ')
  return errorOf(end.exitCode === 0 ? 'bad_output' : 'crash', message)
}

function errorOf(kind: FailureKind, message: string): EngineError {
  return { kind, message, retryable: mayPass(kind), retryAfterMs: null }
}

/** Its log names no status; what servers say with one. */
const kinds: readonly (readonly [RegExp, FailureKind])[] = [
  [/\b429\b|rate.?limit|too many requests/i, 'rate_limited'],
  [/\b(529|503)\b|overloaded/i, 'overloaded'],
  [/connect|ECONN|ENOTFOUND|network|socket|fetch failed/i, 'unreachable'],
  [/\b40[13]\b|api key|unauthori[sz]ed|authentication/i, 'credentials'],
  [/model not found|ModelNotFound|\b(400|404|413|422)\b/i, 'bad_request'],
]

/** What a request that failed with these words failed for. */
export function kindOfText(text: string): FailureKind {
  return kinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'server_error'
}
