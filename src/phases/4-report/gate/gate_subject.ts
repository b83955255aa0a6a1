/** What gates can check: a file with its schema, and short names for common paths. */
import type * as z from 'zod'
import { benchmark } from '../../../../schemas/benchmark.ts'

const scope = (name: string, prefix: string) => ({
  [`${prefix}verdict`]: `statistics.scopes.${name}.verdict`,
  [`${prefix}difference`]: `statistics.scopes.${name}.difference.mean`,
  [`${prefix}ci_low`]: `statistics.scopes.${name}.difference.ci_low`,
  [`${prefix}ci_high`]: `statistics.scopes.${name}.difference.ci_high`,
  [`${prefix}p_value`]: `statistics.scopes.${name}.difference.p_value`,
})

export const shortNames: Readonly<Record<string, string>> = {
  ...scope('these_cases', ''),
  ...scope('cases_like_these', 'like_these.'),
  pass_rate: 'run_summary.candidate.pass_rate.mean',
  baseline_pass_rate: 'run_summary.baseline.pass_rate.mean',
  time_ratio: 'statistics.ratios.time_seconds.ratio',
  tokens_ratio: 'statistics.ratios.tokens.ratio',
  cost_ratio: 'statistics.ratios.cost_usd.ratio',
  price_verdict: 'statistics.price.verdict',
  cost: 'cost.agent_usd',
  suspicious: 'injection_attempts.runs',
}

export interface GateSubject {
  file: string
  schema: z.ZodType
  shortNames: Readonly<Record<string, string>>
  /** Shown if the gate is invalid. */
  example: string
}

export const benchmarkGateSubject: GateSubject = {
  file: 'benchmark.json',
  schema: benchmark,
  shortNames,
  example: 'such as --gate "ci_low > 0", --gate "cost.agent_usd <= 5" or --gate "verdict == helps"',
}
