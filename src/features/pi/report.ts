/** Turns pi's stream into a report at its end, and says whether and why the run failed. */
import type { FailureKind } from '../../../schemas/run.ts'
import type { Cost, Usage } from '../../../schemas/usage.ts'
import type { ProcessEnd } from '../../base/process/spawn.ts'
import { toStopReason } from '../../engines/answers/run_outcome.ts'
import { tooDeepError } from '../../engines/cli/json_line.ts'
import { silentEndError, toRunError } from '../../engines/cli/run_failure.ts'
import { type EngineError, type EngineReport, emptyReport } from '../../engines/engine.ts'
import { classifyErrorText, contextFull, kindOfStatus, saysContextFull } from '../../engines/limits/error_text.ts'
import { addUsage, estimateCost, knownUsage, noUsage } from '../../engines/models/cost.ts'
import type { ProviderModel } from '../../engines/models/provider_model.ts'
import type { PiStream } from './stream.ts'

interface PiEnd {
  model: ProviderModel
  /** null: Whetstone ended it. */
  end: ProcessEnd | null
}

/** The report from what was seen. Never rejects. */
export async function piReport(stream: PiStream, { model, end }: PiEnd): Promise<EngineReport> {
  const { offer, error } = stream
  const usage = sumUsage(stream)
  const isFailing = error !== null && ownEnd(stream) === null
  return {
    ...emptyReport,
    finalResponse: stream.lastText,
    version: offer?.version ?? null,
    model: stream.model ?? model.id,
    provider: model.provider,
    sessionId: stream.sessionId,
    usage,
    cost: usage === null ? null : await chooseCost(stream, usage, model),
    stopReason: ownEnd(stream) ?? toStopReason(stream.reason),
    exitCode: end?.exitCode ?? null,
    signal: end?.signal ?? null,
    loaded: offer === null ? null : { skills: offer.skills, tools: offer.tools, mcp_servers: null },
    permissionDenials: [...stream.denied],
    answered: stream.reason !== null,
    retrying: isFailing ? { kind: classifyError(error), message: error } : null,
  }
}

/** The stop reason if the agent ended by itself, though pi may call it an error: such runs are graded. null: it ended otherwise. */
function ownEnd({ hadEnough, refused, error, reason }: PiStream): string | null {
  if (hadEnough) return 'max_turns'
  if (refused) return 'refusal'
  return error !== null && reason !== null && saysContextFull(error) ? contextFull : null
}

/** null: an answer came without a count, so the sum is not known. */
function sumUsage({ usage, missesUsage }: PiStream): Usage | null {
  if (missesUsage) return null
  const sum = usage.reduce(
    (before, { input, output, cacheRead, cacheWrite }) =>
      addUsage(before, {
        ...{ input_tokens: input, output_tokens: output },
        ...{ cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite },
      }),
    noUsage,
  )
  return knownUsage(sum)
}

/** pi's own cost, if it knows the model's price; else an estimate. */
function chooseCost({ offer, usage }: PiStream, sum: Usage, { id, provider }: ProviderModel): Promise<Cost | null> {
  const own = usage.reduce((before, { cost }) => before + (cost?.total ?? 0), 0)
  return offer?.priced && own > 0 ? Promise.resolve({ usd: own, source: 'agent' }) : estimateCost(sum, id, provider)
}

/** Why the run failed; null: it did not. */
export function piFailure(stream: PiStream, end: ProcessEnd | null): EngineError | null {
  const { error, reason, others, mistake } = stream
  if (mistake !== null) return toRunError('bad_request', mistake)
  if (ownEnd(stream) !== null) return null
  if (error !== null) return toRunError(classifyError(error), error)
  if (reason !== null && reason !== 'toolUse') return others.isTooDeep ? tooDeepError : null
  return silentEndError('pi gave no answer', { end, others })
}

/** Errors of the API begin with its status. */
function classifyError(error: string): FailureKind {
  if (saysContextFull(error)) return 'bad_request'
  const status = /^([45]\d\d)\b/.exec(error)?.[1]
  return status === undefined ? classifyErrorText(error) : kindOfStatus(Number(status))
}
