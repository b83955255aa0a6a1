/** What Claude Code's stream amounts to at its end: a report, and whether the run failed and why. Pure. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { Usage } from '../../../schemas/usage.ts'
import type { ProcessEnd } from '../../base/spawn.ts'
import { type EngineError, type EngineReport, emptyReport } from '../engine.ts'
import { kindOfStatus, mayPass } from '../http_status.ts'
import { saidTooDeep } from '../json_line.ts'
import { addUsage } from '../usage.ts'
import type { InitRecord, PlainUsage, ResultRecord } from './records.ts'
import { brokenServers, type ClaudeStream, serverNames } from './stream.ts'

/** The report from what was seen of the stream, and of the process. */
export function reportOf(stream: ClaudeStream, end: Pick<ProcessEnd, 'exitCode' | 'signal'>): EngineReport {
  const { init, result } = stream
  const isMaxTurns = result?.subtype === 'error_max_turns'
  const usd = result?.total_cost_usd ?? 0
  return {
    ...emptyReport,
    finalResponse: result?.result ?? '',
    answer: result?.structured_output,
    version: init?.claude_code_version ?? null,
    model: modelOf(result) ?? stream.model ?? init?.model ?? null,
    provider: 'anthropic',
    sessionId: result?.session_id ?? init?.session_id ?? null,
    usage: result === null ? usageSoFar(stream) : usageOf(result),
    cost: usd > 0 ? { usd, source: 'agent' } : null,
    stopReason: isMaxTurns ? 'max_turns' : (result?.stop_reason ?? result?.subtype ?? null),
    exitCode: end.exitCode,
    signal: end.signal,
    loaded: loadedIn(init),
    permissionDenials: result?.permission_denials.map(({ tool_name }) => tool_name) ?? null,
  }
}

function loadedIn(init: InitRecord | null): EngineReport['loaded'] {
  if (!init?.skills) return null
  const plugins = (init.plugins ?? []).filter(({ path }) => path !== 'builtin').map(({ name }) => name)
  const { skills, tools = null } = init
  const servers = init.mcp_servers === undefined ? null : serverNames(init)
  return { skills, tools, mcp_servers: servers, ...(plugins.length > 0 && { plugins }) }
}

/** Of a run that came to no result: the sum of what its responses said; null: none said anything. */
function usageSoFar({ usageOf }: ClaudeStream): Usage | null {
  const all = [...usageOf.values()]
  return all.length === 0 ? null : all.map(plain).reduce(addUsage)
}

function plain({ input_tokens, output_tokens, ...rest }: PlainUsage): Usage {
  const cached = {
    cache_read_tokens: rest.cache_read_input_tokens,
    cache_write_tokens: rest.cache_creation_input_tokens,
  }
  return { input_tokens, output_tokens, ...cached }
}

/** Per-model counts hold the subagents' tokens too; the plain ones only the main conversation's. */
function usageOf({ usage, modelUsage = {} }: ResultRecord): Usage | null {
  const models = Object.values(modelUsage)
  if (models.length === 0) {
    return usage === undefined ? null : plain(usage)
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

/** The model that wrote most. */
function modelOf(result: ResultRecord | null): string | null {
  const models = Object.entries(result?.modelUsage ?? {})
  return models.sort(([, a], [, b]) => b.outputTokens - a.outputTokens)[0]?.[0] ?? null
}

/** Why the run failed; null: it did not. */
export function failureOf(stream: ClaudeStream, end: ProcessEnd): EngineError | null {
  const { result, apiError } = stream
  const broken = brokenServers(stream.init)
  if (broken.length > 0) {
    const message = `these MCP servers of the suite did not start: ${broken.join(', ')}`
    return { kind: 'setup', message, retryable: false, retryAfterMs: null }
  }
  if (result === null) return noResult(stream, end)
  // the agent's own doing, though Claude Code calls it an error: the outcome is graded as it is
  if (result.subtype === 'error_max_turns') return stream.saidTooDeep ? saidTooDeep : null
  const text = (result.result ?? result.errors?.join('; ') ?? '').trim() || result.subtype
  if (result.subtype === 'error_max_structured_output_retries') {
    return { kind: 'bad_output', message: text, retryable: false, retryAfterMs: null }
  }
  if (!result.is_error && apiError === null) return stream.saidTooDeep ? saidTooDeep : null
  const kind = kindOfFailure(result.api_error_status ?? statusIn(text), apiError, text)
  return { kind, message: text, retryable: mayPass(kind), retryAfterMs: null }
}

function noResult({ unreadable }: ClaudeStream, end: ProcessEnd): EngineError {
  const how = end.exitCode === null ? `ended by ${end.signal}` : `exit code ${end.exitCode}`
  const isCrash = end.exitCode !== 0
  const said = [end.stderrTail.trim(), unreadable === null ? '' : `last unreadable line: ${unreadable.slice(0, 300)}`]
  const message = [`claude gave no result (${how})`, ...said].filter(Boolean).join(': ')
  return { kind: isCrash ? 'crash' : 'bad_output', message, retryable: true, retryAfterMs: null }
}

function statusIn(text: string): number | null {
  const found = /^API Error:[^\d]*(\d{3})\b/.exec(text)
  return found === null ? null : Number(found[1])
}

/** Codes of a failed request, as Claude Code names them. */
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
  if (/ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|connection (refused|error|reset)|unable to connect|network/i.test(text)) {
    return 'unreachable'
  }
  if (code !== null && kindOfCode[code] !== undefined) return kindOfCode[code]
  if (/invalid api key|not logged in|run \/login|authentication/i.test(text)) return 'credentials'
  return code === null ? 'crash' : 'server_error'
}
