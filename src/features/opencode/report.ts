/** Turns opencode's stream and its own log into a report at its end, and says whether and why the run failed. */
import path from 'node:path'
import type { Cost, Usage } from '../../../schemas/usage.ts'
import type { ProcessEnd } from '../../base/process/spawn.ts'
import { toStopReason } from '../../engines/answers/run_outcome.ts'
import { FollowedFile } from '../../engines/cli/followed_file.ts'
import { tooDeepError } from '../../engines/cli/json_line.ts'
import { silentEndError, toRunError } from '../../engines/cli/run_failure.ts'
import { type EngineError, type EngineReport, emptyReport, type ProviderError } from '../../engines/engine.ts'
import { findServerError } from '../../engines/environment/suite_servers.ts'
import { classifyErrorText, contextFull, kindOfStatus, saysContextFull } from '../../engines/limits/error_text.ts'
import { estimateCost, knownUsage } from '../../engines/models/cost.ts'
import type { ProviderModel } from '../../engines/models/provider_model.ts'
import type { OpencodeFailure, OpencodeStream, OpencodeTokens } from './stream.ts'

interface OpencodeEnd {
  model: ProviderModel
  /** The skills that it offers its model; null: not known. */
  offered: string[] | null
  /** null: Whetstone ended it. */
  end: ProcessEnd | null
}

/** The report from what was seen. Never rejects. */
export async function opencodeReport(
  stream: OpencodeStream,
  log: OpencodeLog,
  { model, offered, end }: OpencodeEnd,
): Promise<EngineReport> {
  const usage = sumOpencodeTokens(stream.tokens)
  return {
    ...emptyReport,
    finalResponse: stream.lastText,
    version: log.version,
    model: model.id,
    provider: model.provider,
    sessionId: stream.sessionId,
    usage,
    cost: usage === null ? null : await chooseCost(usage, stream.cost, model),
    stopReason: ownEnd(stream) ?? toStopReason(stream.reason),
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    loaded: offered === null ? null : { skills: offered, tools: null, mcp_servers: null },
    permissionDenials: [...stream.denied],
    answered: hasAnswered(stream, log),
    retrying: log.isFailing ? errorInLog(log) : null,
  }
}

function hasAnswered({ reason }: OpencodeStream, { calledTool }: OpencodeLog): boolean {
  return reason !== null || calledTool
}

/** The error of its last failed request. */
function errorInLog({ lastError, brokenServers }: OpencodeLog): ProviderError {
  const broken = findServerError(brokenServers)
  if (broken !== null) return broken
  return { kind: classifyErrorText(lastError ?? ''), message: lastError ?? 'its requests failed' }
}

/** The stop reason if the agent ended by itself, though opencode may call it an error: such runs are graded. null: it ended otherwise. */
function ownEnd({ hadEnough, failure, reason }: OpencodeStream): string | null {
  if (hadEnough) return 'max_turns'
  if (failure === null) return null
  if (failure.name === 'ContentFilterError') return 'refusal'
  return reason !== null && isFull(failure) ? contextFull : null
}

function isFull({ name, data }: OpencodeFailure): boolean {
  return name === 'ContextOverflowError' || saysContextFull(data?.message ?? '')
}

function chooseCost(usage: Usage, own: number, { id, provider }: ProviderModel): Promise<Cost | null> {
  return own > 0 ? Promise.resolve({ usd: own, source: 'agent' }) : estimateCost(usage, id, provider)
}

/** The total shows whether reasoning is part of the output or counted separately. */
function sumOpencodeTokens(all: readonly OpencodeTokens[]): Usage | null {
  const sum = (pick: (one: OpencodeTokens) => number) => all.reduce((before, one) => before + pick(one), 0)
  const cached = (one: OpencodeTokens) => one.cache.read + one.cache.write
  const reasoning = sum((one) => one.reasoning)
  return knownUsage({
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
export function opencodeFailure(stream: OpencodeStream, log: OpencodeLog, end: ProcessEnd | null): EngineError | null {
  const broken = findServerError(log.brokenServers)
  if (broken !== null) return broken
  if (ownEnd(stream) !== null) return null
  if (stream.failure !== null) {
    const { name, data } = stream.failure
    const message = data?.message ?? name
    if (isFull(stream.failure)) return toRunError('bad_request', message)
    return toRunError(
      data?.statusCode === undefined ? classifyErrorText(message) : kindOfStatus(data.statusCode),
      message,
    )
  }
  if (end === null) {
    const { kind, message } = errorInLog(log)
    return toRunError(kind, message)
  }
  if (stream.reason !== null && stream.reason !== 'tool-calls') return stream.others.isTooDeep ? tooDeepError : null
  return silentEndError('opencode gave no answer', { end, others: stream.others, lastError: log.lastError })
}

/** Follows the log below the data folder while it is written. */
export class OpencodeLog extends FollowedFile {
  version: string | null = null
  /** Whether the model has called a tool: the stream shows a call only once the tool has ended. */
  calledTool = false
  /** The error of the last failed request. */
  lastError: string | null = null
  /** MCP servers that did not start. */
  readonly brokenServers: string[] = []

  readonly #onRetry: (error: string, waitMs: number) => void
  #failures = 0
  /** When the last request failed, in ms since 1970; null: another request has been sent since, or none failed. */
  #failedAt: number | null = null

  /** `onRetry` is called for each request that is sent again, with the error of the last one and the wait in milliseconds. */
  constructor(data: string, onRetry: (error: string, waitMs: number) => void) {
    super(() => path.join(data, 'opencode/log/opencode.log'))
    this.#onRetry = onRetry
  }

  /** Whether a request has been sent since one failed, in the same step. */
  get isTryingAgain(): boolean {
    return this.#failures > 0 && this.#failedAt === null
  }

  /** Whether, by the log read so far, a request has failed and none of this step has been answered since. */
  get isFailing(): boolean {
    return this.#failures > 0
  }

  /** How many requests in a row have failed. */
  retries(): number {
    this.catchUp()
    return this.#failures
  }

  catchUp(): void {
    for (const line of this.readLines()) this.#take(line)
  }

  #again(at: number): void {
    if (this.#failedAt !== null) this.#onRetry(this.lastError ?? '', Math.max(0, at - this.#failedAt))
    this.#failedAt = null
  }

  #take(line: string): void {
    this.version ??= / message=created .* version=(\d+\.\d+\.\d+)/.exec(line)?.[1] ?? null
    if (/ message=loop .*\bstep=/.test(line)) this.#failures = 0
    else if (/ message=stream /.test(line)) this.#again(readLineTime(line))
    else if (/ message=evaluated permission=/.test(line)) {
      this.calledTool = true
      this.#failures = 0
    } else if (/ message="server unavailable" /.test(line)) {
      const name = / key=(\S+)/.exec(line)?.[1]
      if (name !== undefined && !this.brokenServers.includes(name)) this.brokenServers.push(name)
    } else if (/ message="stream error" /.test(line)) {
      this.#failures += 1
      this.#failedAt = readLineTime(line)
      this.lastError = /error\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line.slice(-300)
    }
  }
}

function readLineTime(line: string): number {
  return Date.parse(/^timestamp=(\S+)/.exec(line)?.[1] ?? '') || 0
}
