/** Reads the cost, tokens and duration of a run or grading, as far as known. */
import type { Grading } from '../../../schemas/grading.ts'
import type { FailureKind, RunRecord } from '../../../schemas/run.ts'
import { sumKnown } from '../../base/text/dollars.ts'

/** The part of the usual price that a batch costs, at Anthropic and OpenAI. */
export const batchPrice = 0.5

/** null: not reported. Seconds are working time. */
export interface ResourceUsage {
  usd: number | null
  tokens: number | null
  seconds: number | null
}

/** Failures before any model answered: nothing was paid, unless an answer was seen. */
const unpaidFailures: ReadonlySet<FailureKind> = new Set([
  'missing_binary',
  'credentials',
  'unreachable',
  'rate_limited',
  'overloaded',
  'server_error',
  'bad_request',
  'setup',
])

/** The agent and the model that played its user. */
export function readRunUsage(record: RunRecord): ResourceUsage {
  const seconds = record.duration_ms / 1000
  const unpaid = record.status === 'failed' && record.steps === 0 && unpaidFailures.has(record.error.kind)
  const { usage, cost } = record
  const agent = {
    usd: cost?.usd ?? (unpaid ? 0 : null),
    tokens: usage === null ? (unpaid ? 0 : null) : sumUsageTokens(usage),
  }
  const user = record.conversation?.user
  if (user === undefined || user.calls === 0) return { ...agent, seconds }
  return { usd: sumKnown([agent.usd, user.cost_usd]), tokens: sumKnown([agent.tokens, user.tokens]), seconds }
}

/** Costs nothing where code decided everything. */
export function readGradingUsage({ judge, timing }: Grading): ResourceUsage {
  const seconds = timing?.grader_duration_seconds ?? null
  if (judge === undefined || judge.calls === 0) return { usd: 0, tokens: 0, seconds }
  return { usd: judge.cost_usd, tokens: judge.tokens, seconds }
}

/** The same at the usual price, as a forecast needs it: a batch costs half. */
export function readUsualGradingUsage(grading: Grading): ResourceUsage {
  const spent = readGradingUsage(grading)
  return grading.judge?.batched && spent.usd !== null ? { ...spent, usd: spent.usd / batchPrice } : spent
}

/** What this benchmark paid: nothing for cached runs. */
export function readPaidRunUsage(record: RunRecord): ResourceUsage {
  return record.cached_from ? zeroUsage : readRunUsage(record)
}

/** The same for a grading. */
export function readPaidGradingUsage(grading: Grading | null): ResourceUsage {
  return grading === null || grading.judge?.cached_from ? zeroUsage : readGradingUsage(grading)
}

const zeroUsage: ResourceUsage = { usd: 0, tokens: 0, seconds: null }

function sumUsageTokens(usage: NonNullable<RunRecord['usage']>): number {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
}
