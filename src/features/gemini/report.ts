/** Turns what Gemini CLI showed into a report at its end, and says whether and why the run failed. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { Usage } from '../../../schemas/usage.ts'
import type { ProcessEnd } from '../../base/process/spawn.ts'
import { toStopReason } from '../../engines/answers/run_outcome.ts'
import type { CliTurn } from '../../engines/cli/conversation.ts'
import { FollowedFile } from '../../engines/cli/followed_file.ts'
import { tooDeepError } from '../../engines/cli/json_line.ts'
import { silentEndError, toRunError } from '../../engines/cli/run_failure.ts'
import { type EngineError, type EngineReport, emptyReport } from '../../engines/engine.ts'
import { findServerError } from '../../engines/environment/suite_servers.ts'
import { contextFull, kindOfStatus, saysContextFull } from '../../engines/limits/error_text.ts'
import { estimateCost, knownUsage, withoutEarlier } from '../../engines/models/cost.ts'
import type { GeminiLog } from './log.ts'
import type { GeminiSession, GeminiTokens } from './session_file.ts'
import { geminiModel, geminiProvider } from './settings.ts'
import type { GeminiStream } from './stream.ts'

/** What shows the course of a run. */
export interface GeminiSources {
  stream: GeminiStream
  log: GeminiLog
  session: GeminiSession
  errors: GeminiErrors
}

export interface GeminiEnd {
  task: CliTurn
  version: string | null
  /** null: it runs, or Whetstone ended it. */
  end: ProcessEnd | null
}

/** The report from what was seen. Never rejects. */
export async function geminiReport(seen: GeminiSources, { task, version, end }: GeminiEnd): Promise<EngineReport> {
  const { stream, log, session } = seen
  const usage = countTokens(seen, task.resumes?.usage ?? null)
  const error = openError(seen)
  const model = session.model ?? stream.model ?? geminiModel(task.model)
  return {
    ...emptyReport,
    finalResponse: stream.lastText,
    version,
    model,
    provider: geminiProvider,
    sessionId: stream.sessionId,
    usage,
    cost: usage === null ? null : await estimateCost(usage, model, geminiProvider),
    stopReason: ownEnd(seen) ?? toStopReason(log.finishReason),
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    loaded: log.skills === null ? null : { skills: log.skills, tools: null, mcp_servers: null },
    permissionDenials: [...stream.denied],
    answered: hasAnswered(seen),
    retrying: error === null ? null : { kind: classify(error), message: plainMessage(error.message) },
  }
}

function hasAnswered({ stream, session }: GeminiSources): boolean {
  return stream.hasToolResult || session.tokens.size > 0
}

/** The error of the last request, if none has been answered since. */
function openError({ errors, session }: GeminiSources): GeminiRequestError | null {
  return errors.last !== null && errors.last.at > session.answeredAt ? errors.last : null
}

/** The result has the tokens of all models; a run that was ended has none, and its session file counts. */
function countTokens({ stream, session }: GeminiSources, earlier: Usage | null): Usage | null {
  const recorded = sumTokens(session)
  const stats = stream.result?.stats
  if (stats !== undefined && stats.total_tokens > 0) {
    const output = Math.max(stats.output_tokens, stats.total_tokens - stats.input_tokens)
    const { input_tokens: input, cached } = stats
    const all = toUsage({ input, cached, output, thoughts: output - stats.output_tokens })
    return all === null ? null : knownUsage(withoutEarlier(all, earlier, recorded))
  }
  return recorded
}

function sumTokens({ tokens }: GeminiSession): Usage | null {
  const all = [...tokens.values()]
  if (all.length === 0) return null
  const sum = (name: keyof GeminiTokens) => all.reduce((before, one) => before + one[name], 0)
  const thoughts = sum('thoughts')
  return toUsage({ input: sum('input'), cached: sum('cached'), output: sum('output') + thoughts, thoughts })
}

/** `input` includes cached tokens, `output` includes thoughts. The API counts no tokens that it wrote to a cache. */
function toUsage(all: GeminiTokens): Usage | null {
  return knownUsage({
    input_tokens: Math.max(0, all.input - all.cached),
    output_tokens: all.output,
    cache_read_tokens: all.cached,
    cache_write_tokens: 0,
    ...(all.thoughts > 0 ? { reasoning_tokens: all.thoughts } : {}),
  })
}

/** The stop reason if the agent ended by itself, though the CLI may call it an error: such runs are graded. null: it ended otherwise. */
function ownEnd(seen: GeminiSources): string | null {
  const { result } = seen.stream
  if (result === null || result.status === 'success') return null
  if (result.error === undefined) {
    // an answer without text, such as a refusal
    const reason = toStopReason(seen.log.finishReason)
    return reason === 'refusal' || reason === 'max_tokens' ? reason : null
  }
  if (result.error.type === 'FatalTurnLimitedError') return 'max_turns'
  return hasAnswered(seen) && saysContextFull(result.error.message) ? contextFull : null
}

/** Why the run failed; null: it did not. */
export function geminiFailure(seen: GeminiSources, end: ProcessEnd | null): EngineError | null {
  const { stream, errors } = seen
  const broken = findServerError(errors.brokenServers)
  if (broken !== null) return broken
  if (ownEnd(seen) !== null) return null
  const { result, others } = stream
  if (result?.status === 'success') return others.isTooDeep ? tooDeepError : null
  if (result?.error !== undefined) {
    const message = plainMessage(result.error.message)
    return toRunError(classify({ status: findStatus(end), message }), message)
  }
  if (result !== null) return toRunError('bad_output', stream.lastError ?? 'gemini gave no answer')
  if (errors.last !== null) return toRunError(classify(errors.last), plainMessage(errors.last.message))
  return silentEndError('gemini gave no answer', { end, others })
}

/** After a failed request, the exit code is the HTTP status modulo 256, or stderr contains the status. */
function findStatus(end: ProcessEnd | null): number | null {
  const code = end?.exitCode ?? 0
  if (code >= (400 & 255)) return code + 256
  const [, status] = /^ +(?:code|status): ([45]\d\d),?$/m.exec(end?.stderrTail ?? '') ?? []
  return status === undefined ? null : Number(status)
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

export interface GeminiRequestError {
  status: number | null
  message: string
}

/** It did not start, or it refused the suite's headers. */
const brokenServer =
  /(?:Error during discovery for MCP server '(?=[^']+')|MCP server '(?=[^']+' requires authentication))(?<name>[^']+)'/

/** Follows the debug log while it is written. */
export class GeminiErrors extends FollowedFile {
  /** The last failed request. */
  last: (GeminiRequestError & { at: number }) | null = null

  /** MCP servers that did not start. */
  readonly brokenServers: string[] = []

  constructor(file: string) {
    super(() => file)
  }

  catchUp(): void {
    for (const line of this.readLines()) {
      const server = brokenServer.exec(line)?.groups?.name
      if (server !== undefined && !this.brokenServers.includes(server)) this.brokenServers.push(server)
      const [, time = '', status, said = ''] =
        /^\[(\S+)\] \[WARN\] Attempt \d+ failed(?: with status (\d+))?\S*(.*)$/.exec(line) ?? []
      if (time === '') continue
      const message = said.replace(/^\s*Retrying with backoff\.\.\.\s*/, '').trim() || `a request failed with ${status}`
      this.last = { at: Date.parse(time) || 0, status: status === undefined ? null : Number(status), message }
    }
  }
}
