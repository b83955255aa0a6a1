/** Turns Claude Code's stream into a report at its end, and says whether and why the run failed. Pure. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { Usage } from '../../../schemas/usage.ts'
import type { ProcessEnd } from '../../base/process/spawn.ts'
import type { CliTurn } from '../cli/conversation.ts'
import { tooDeepError } from '../cli/json_line.ts'
import { silentEndError } from '../cli/run_failure.ts'
import { type EngineError, type EngineReport, emptyReport, type ProviderError } from '../engine.ts'
import { findServerError } from '../environment/suite_servers.ts'
import { contextFull, isRetryableKind, kindOfStatus, saysContextFull } from '../limits/error_text.ts'
import { parseResetMs } from '../limits/rate_headers.ts'
import { addUsage, knownUsage, withoutEarlier } from '../models/cost.ts'
import { brokenServers, type ClaudeStream, serverNames } from './stream.ts'
import type { InitRecord, PlainUsage, ResultRecord, RetryRecord } from './stream_records.ts'

/** The report from what was seen of the stream and the process. `provider`: the provider or cloud that served the model. */
export function claudeReport(
  stream: ClaudeStream,
  end: Pick<ProcessEnd, 'exitCode' | 'signal'>,
  provider = 'anthropic',
): EngineReport {
  const { init, result } = stream
  const usd = result?.total_cost_usd ?? 0
  const early = ownEnd(stream)
  const usage = result === null ? usageSoFar(stream) : claudeUsage(result)
  return {
    ...emptyReport,
    finalResponse: (early === null ? result?.result : stream.lastText) ?? '',
    answer: result?.structured_output,
    version: init?.claude_code_version ?? null,
    model: stream.model ?? init?.model ?? null,
    provider,
    sessionId: result?.session_id ?? init?.session_id ?? null,
    usage: usage && knownUsage(usage),
    cost: usd > 0 ? { usd, source: 'agent' } : null,
    stopReason: early ?? result?.stop_reason ?? result?.subtype ?? null,
    exitCode: end.exitCode,
    signal: end.signal,
    loaded: loadedFeatures(init),
    permissionDenials: result?.permission_denials.map(({ tool_name }) => tool_name) ?? null,
    answered: stream.step > 0,
    retrying: stream.retry === null ? null : retryProviderError(stream.retry),
  }
}

/** Without what the earlier processes of a resumed session took, which Claude Code counts again. */
export function withoutEarlierTurns(report: EngineReport, stream: ClaudeStream, { resumes }: CliTurn): EngineReport {
  const { usage: all, cost } = report
  if (resumes === undefined || all === null || stream.result === null) return report
  const usage = withoutEarlier(all, resumes.usage, usageSoFar(stream))
  if (usage === all) return report
  const usd = (cost?.usd ?? 0) - (resumes.cost?.usd ?? 0)
  return { ...report, usage: knownUsage(usage), cost: usd > 0 ? { usd, source: 'agent' } : null }
}

function retryProviderError({ error_status: status, error }: RetryRecord): ProviderError {
  const code = error ?? 'unknown'
  const kind = status != null && status >= 400 ? kindOfStatus(status) : (kindOfCode[code] ?? 'server_error')
  return { kind, message: `the server answered ${status ?? 'nothing'} (${code})` }
}

/** The stop reason if the agent ended by itself, though Claude Code calls it an error: such runs are graded. null: it ended otherwise. */
function ownEnd({ result, apiError, step }: ClaudeStream): string | null {
  if (result === null) return null
  if (result.subtype === 'error_max_turns') return 'max_turns'
  if (!result.is_error && apiError === null) return null
  if (step > 0 && saysContextFull(result.result ?? '')) return contextFull
  if (apiError === 'max_output_tokens') return 'max_tokens'
  return result.stop_reason === 'refusal' ? 'refusal' : null
}

function loadedFeatures(init: InitRecord | null): EngineReport['loaded'] {
  if (!init?.skills) return null
  const plugins = (init.plugins ?? []).filter(({ path }) => path !== 'builtin').map(({ name }) => name)
  const { skills, tools = null } = init
  const servers = init.mcp_servers === undefined ? null : serverNames(init)
  return { skills, tools, mcp_servers: servers, ...(plugins.length > 0 && { plugins }) }
}

/** Usage of a run without a result: the sum of what its responses reported; null: none reported anything. */
export function usageSoFar({ usageOf }: Pick<ClaudeStream, 'usageOf'>): Usage | null {
  const all = [...usageOf.values()]
  return all.length === 0 ? null : all.map(toPlainUsage).reduce(addUsage)
}

function toPlainUsage({ input_tokens, output_tokens, ...rest }: PlainUsage): Usage {
  const cached = {
    cache_read_tokens: rest.cache_read_input_tokens,
    cache_write_tokens: rest.cache_creation_input_tokens,
  }
  return { input_tokens, output_tokens, ...cached }
}

/** Counts per model include the subagents' tokens; the plain counts contain only the main conversation's. */
export function claudeUsage({ usage, modelUsage = {} }: Pick<ResultRecord, 'usage' | 'modelUsage'>): Usage | null {
  const models = Object.values(modelUsage)
  if (models.length === 0) {
    return usage === undefined ? null : toPlainUsage(usage)
  }
  const sum = (pick: (model: (typeof models)[number]) => number) => models.reduce((all, one) => all + pick(one), 0)
  const reasoning = sum((one) => one.thinkingTokens)
  return {
    input_tokens: sum((one) => one.inputTokens),
    output_tokens: sum((one) => one.outputTokens),
    cache_read_tokens: sum((one) => one.cacheReadInputTokens),
    cache_write_tokens: sum((one) => one.cacheCreationInputTokens),
    ...(reasoning > 0 ? { reasoning_tokens: reasoning } : {}),
  }
}

/** Why the run failed; null: it did not. */
export function claudeFailure(stream: ClaudeStream, end: ProcessEnd): EngineError | null {
  const { result, apiError } = stream
  const broken = findServerError(brokenServers(stream.init))
  if (broken !== null) return broken
  if (result === null) return silentEndError('claude gave no result', { end, others: stream.others })
  if (ownEnd(stream) !== null) return stream.others.isTooDeep ? tooDeepError : null
  const text = (result.result ?? result.errors?.join('; ') ?? '').trim() || result.subtype
  if (result.subtype === 'error_max_structured_output_retries') {
    return { kind: 'bad_output', message: text, retryable: false, retryAfterMs: null }
  }
  if (!result.is_error && apiError === null) return stream.others.isTooDeep ? tooDeepError : null
  const kind = kindOfFailure(result.api_error_status ?? findHttpStatus(text), apiError, text)
  const retryAfterMs = kind === 'rate_limited' ? (stream.limitLeftMs() ?? parseResetMs(text)) : null
  return { kind, message: text, retryable: isRetryableKind(kind), retryAfterMs }
}

function findHttpStatus(text: string): number | null {
  const found = /^API Error:[^\d]*(\d{3})\b/.exec(text)
  return found === null ? null : Number(found[1])
}

/** Failure kinds by Claude Code's own codes of failed requests. */
const kindOfCode: Readonly<Record<string, FailureKind>> = {
  authentication_failed: 'credentials',
  oauth_org_not_allowed: 'credentials',
  billing_error: 'credentials',
  rate_limit: 'rate_limited',
  overloaded: 'overloaded',
  invalid_request: 'bad_request',
  model_not_found: 'bad_request',
}

function kindOfFailure(status: number | null, code: string | null, text: string): FailureKind {
  if (status !== null && status >= 400) return kindOfStatus(status)
  if (/connection .*was lost/i.test(text)) return 'server_error' // it had been established before
  if (/ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|connection (refused|error|reset)|unable to connect|network/i.test(text)) {
    return 'unreachable'
  }
  if (/\b(usage|session|weekly|5-hour) limit\b|hit your limit/i.test(text)) return 'rate_limited'
  if (code !== null && kindOfCode[code] !== undefined) return kindOfCode[code]
  if (/invalid api key|not logged in|run \/login|authentication/i.test(text)) return 'credentials'
  return code === null ? 'crash' : 'server_error'
}
