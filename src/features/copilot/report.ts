/** Turns Copilot's stream and its session file into a report at its end, and says whether and why the run failed. */
import * as z from 'zod'
import type { FailureKind } from '../../../schemas/run.ts'
import type { Cost, Usage } from '../../../schemas/usage.ts'
import { tryParseJson } from '../../base/json/json.ts'
import type { ProcessEnd } from '../../base/process/spawn.ts'
import { toStopReason } from '../../engines/answers/run_outcome.ts'
import { FollowedFile } from '../../engines/cli/followed_file.ts'
import { tooDeepError } from '../../engines/cli/json_line.ts'
import { silentEndError, toRunError } from '../../engines/cli/run_failure.ts'
import {
  type EngineError,
  type EngineReport,
  type EngineTask,
  emptyReport,
  type ProviderError,
} from '../../engines/engine.ts'
import { findServerError } from '../../engines/environment/suite_servers.ts'
import { contextFull, kindOfStatus, saysContextFull } from '../../engines/limits/error_text.ts'
import { addUsage, estimateCost, knownUsage, noUsage } from '../../engines/models/cost.ts'
import type { CopilotModel } from './argv.ts'
import type { CopilotStream } from './stream.ts'

interface CopilotEnd {
  task: EngineTask
  model: CopilotModel
  /** null: Whetstone ended it. */
  end: ProcessEnd | null
}

/** The report from what was seen. Never rejects. */
export async function copilotReport(
  stream: CopilotStream,
  session: CopilotSession,
  { task, model, end }: CopilotEnd,
): Promise<EngineReport> {
  const usage = session.usage === null ? null : knownUsage(session.usage)
  return {
    ...emptyReport,
    finalResponse: stream.lastText,
    version: session.version,
    model: model.id ?? session.model,
    provider: model.provider,
    sessionId: task.sessionId,
    usage,
    cost: usage === null ? null : await findCost(usage, model),
    stopReason: ownEnd(stream) ?? toStopReason(session.finishReason),
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    loaded: stream.skills === null ? null : { skills: stream.skills, tools: null, mcp_servers: stream.mcpServers },
    permissionDenials: [...stream.denied],
    answered: stream.answered,
    retrying: stream.failures > 0 ? describeFailure(stream) : null,
  }
}

/** Copilot's own models are paid by its plan, not by their tokens. */
async function findCost(usage: Usage, { provider, id }: CopilotModel): Promise<Cost | null> {
  return provider === 'github' || id === null ? null : await estimateCost(usage, id, provider)
}

/** The stop reason if the agent ended by itself, though Copilot may call it an error: such runs are graded. null: it ended otherwise. */
function ownEnd(stream: CopilotStream): string | null {
  if (stream.hadEnough) return 'max_turns'
  if (!stream.answered || stream.exitCode === 0) return null
  if (isFull(stream)) return contextFull
  // an empty answer, such as a refusal over the Responses API: Copilot does not show its text
  return /no response was returned/i.test(stream.error?.message ?? '') ? 'end_turn' : null
}

function isFull({ failures, lastFailure, error }: CopilotStream): boolean {
  return error?.errorType === 'context_limit' || (failures > 0 && saysContextFull(lastFailure?.message ?? ''))
}

/** Why the run failed; null: it did not. */
export function copilotFailure(stream: CopilotStream, end: ProcessEnd | null): EngineError | null {
  const broken = findServerError(stream.brokenServers)
  if (broken !== null) return broken
  if (ownEnd(stream) !== null) return null
  if (stream.exitCode === 0) return stream.others.isTooDeep ? tooDeepError : null
  if (stream.error !== null || stream.failures > 0) {
    const { kind, message } = describeFailure(stream)
    return toRunError(kind, message)
  }
  const error = silentEndError('copilot gave no answer', { end, others: stream.others })
  const asksForLogin = /no authentication information|not logged in|authenticat/i.test(end?.stderrTail ?? '')
  return asksForLogin ? toRunError('credentials', error.message) : error
}

/** The error that ended it, or that it is trying to get over. */
function describeFailure(stream: CopilotStream): ProviderError {
  const { error, failures, lastFailure } = stream
  const message = error?.message || lastFailure?.message || 'its requests failed'
  if (isFull(stream)) return { kind: 'bad_request', message }
  const status = error?.statusCode ?? (failures > 0 ? lastFailure?.status : null) ?? null
  if (status !== null && status >= 400) return { kind: kindOfStatus(status), message }
  const kind = errorKinds[error?.errorType ?? '']
  return { kind: kind ?? classifyMessage(`${lastFailure?.message ?? ''} ${message}`), message }
}

/** Failure kinds by Copilot's kinds of errors; `query` is any other. */
const errorKinds: Readonly<Record<string, FailureKind>> = {
  authentication: 'credentials',
  authorization: 'credentials',
  policy: 'credentials',
  quota: 'credentials',
  rate_limit: 'rate_limited',
}

/** Failure kinds by the text of an error without a status: an error within a stream, or no connection. */
const messageKinds: readonly (readonly [RegExp, FailureKind])[] = [
  [/rate.?limit|too many requests/i, 'rate_limited'],
  [/overloaded/i, 'overloaded'],
  [/error sending request|connect|dns|unreachable/i, 'unreachable'],
]

function classifyMessage(message: string): FailureKind {
  if (/reading a body|decoding response body/i.test(message)) return 'server_error' // the connection had been established
  return messageKinds.find(([pattern]) => pattern.test(message))?.[1] ?? 'server_error'
}

const count = z.number().nonnegative().catch(0).default(0)

const entry = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('session.start'),
    data: z.looseObject({ copilotVersion: z.string().optional() }),
  }),
  z.looseObject({
    type: z.literal('session.error'),
    data: z.looseObject({ message: z.string().catch('').default(''), statusCode: z.number().optional() }),
  }),
  z.looseObject({
    type: z.literal('session.usage_record'),
    timestamp: z.string().optional(),
    agentId: z.string().optional(),
    data: z.looseObject({
      usage: z.looseObject({
        model: z.string().optional(),
        /** With cached tokens. */
        inputTokens: count,
        /** With reasoning. */
        outputTokens: count,
        cacheReadTokens: count,
        cacheWriteTokens: count,
        reasoningTokens: count,
        finishReason: z.string().optional(),
        parentToolCallId: z.string().optional(),
      }),
    }),
  }),
])

/** Characters; a longer line contains no entry that is used here. */
const lineLimit = 2 * 1024 * 1024

/** Follows the file while it is written. */
export class CopilotSession extends FollowedFile {
  version: string | null = null
  /** The model of the last response. */
  model: string | null = null
  /** Tokens of all responses so far, sub-agents included; null: none. */
  usage: Usage | null = null
  /** Why the agent's last response ended, in Copilot's words; null: there is none, or it does not say. */
  finishReason: string | null = null

  /** When the last response ended, in ms since 1970; 0: there is none. */
  answeredAt = 0
  /** Why the session ended early; null: it did not. */
  error: { message: string; status: number | null } | null = null

  /** Reads what has been written since the last time. */
  catchUp(): void {
    for (const line of this.readLines()) if (line.length <= lineLimit) this.#take(line)
  }

  #take(line: string): void {
    const read = entry.safeParse(tryParseJson(line))
    if (!read.success) return
    if (read.data.type === 'session.start') {
      this.version = read.data.data.copilotVersion ?? null
      return
    }
    if (read.data.type === 'session.error') {
      const { message, statusCode } = read.data.data
      this.error = { message, status: statusCode ?? null }
      return
    }
    this.answeredAt = Date.parse(read.data.timestamp ?? '') || this.answeredAt
    const { usage } = read.data.data
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
    this.usage = addUsage(this.usage ?? noUsage, {
      input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
      output_tokens: outputTokens,
      cache_read_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
      reasoning_tokens: reasoningTokens,
    })
    if (read.data.agentId !== undefined || usage.parentToolCallId !== undefined) return
    this.model = usage.model ?? this.model
    this.finishReason = usage.finishReason ?? null
  }
}
