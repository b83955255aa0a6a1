/** Turns Copilot's stream and session into a report at its end, and says whether and why the run failed. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { Cost, Usage } from '../../../schemas/usage.ts'
import type { ProcessEnd } from '../../base/process/spawn.ts'
import { toStopReason } from '../../engines/answers/stop_reason.ts'
import { tooDeepError } from '../../engines/cli/json_line.ts'
import { silentEndError, toRunError } from '../../engines/cli/run_failure.ts'
import {
  type EngineError,
  type EngineReport,
  type EngineTask,
  emptyReport,
  type ProviderError,
} from '../../engines/engine.ts'
import { findServerError } from '../../engines/environment/broken_servers.ts'
import { contextFull, saysContextFull } from '../../engines/limits/context_full.ts'
import { kindOfStatus } from '../../engines/limits/http_status.ts'
import { estimateCost } from '../../engines/models/cost.ts'
import { knownUsage } from '../../engines/models/usage.ts'
import type { CopilotModel } from './model.ts'
import type { CopilotSession } from './session_file.ts'
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
