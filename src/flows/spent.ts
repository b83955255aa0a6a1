/** What a run or a grading took, as far as it is known. */
import type { Grading } from '../../schemas/grading.ts'
import type { FailureKind, RunRecord } from '../../schemas/run.ts'

/** Null: not reported. Seconds are the working time. */
export interface Spent {
  usd: number | null
  tokens: number | null
  seconds: number | null
}

/** Failures in which no model answered, so that nothing was paid for, as long as no answer was seen. */
const free: ReadonlySet<FailureKind> = new Set([
  'missing_binary',
  'credentials',
  'unreachable',
  'rate_limited',
  'overloaded',
  'server_error',
  'bad_request',
  'setup',
])

export function spentByRun(record: RunRecord): Spent {
  const seconds = record.duration_ms / 1000
  const unpaid = record.status === 'failed' && record.steps === 0 && free.has(record.error.kind)
  const { usage, cost } = record
  return {
    usd: cost?.usd ?? (unpaid ? 0 : null),
    tokens: usage === null ? (unpaid ? 0 : null) : tokensOf(usage),
    seconds,
  }
}

/** Where code decided everything nothing was spent. */
export function spentByGrading({ judge, timing }: Grading): Spent {
  const seconds = timing?.grader_duration_seconds ?? null
  if (judge === undefined || judge.calls === 0) return { usd: 0, tokens: 0, seconds }
  return { usd: judge.cost_usd, tokens: judge.tokens, seconds }
}

/** What this benchmark paid: nothing for what was taken from the cache. */
export function paidForRun(record: RunRecord): Spent {
  return record.cached_from ? unspent : spentByRun(record)
}

/** The same of a grading. */
export function paidForGrading(grading: Grading | null): Spent {
  return grading === null || grading.judge?.cached_from ? unspent : spentByGrading(grading)
}

const unspent: Spent = { usd: 0, tokens: 0, seconds: null }

function tokensOf(usage: NonNullable<RunRecord['usage']>): number {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
}
