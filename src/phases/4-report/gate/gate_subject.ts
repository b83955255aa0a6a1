/** What gates can check: a file with its schema, and short names for common paths. */
import type * as z from 'zod'
import { benchmark } from '../../../../schemas/benchmark.ts'
import { triggerMatrix } from '../../../../schemas/trigger_matrix.ts'
import { triggers } from '../../../../schemas/triggers.ts'

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

export const triggersGateSubject: GateSubject = {
  file: 'triggers.json',
  schema: triggers,
  shortNames: {
    recall: 'metrics.recall.value',
    recall_low: 'metrics.recall.ci_low',
    precision: 'metrics.precision.value',
    precision_low: 'metrics.precision.ci_low',
    false_trigger_rate: 'metrics.false_trigger_rate.value',
    accuracy: 'metrics.accuracy.value',
    passed: 'summary.passed',
    failed: 'summary.failed',
    errors: 'summary.runs_failed',
    cost: 'cost.usd',
  },
  example: 'such as --gate "recall >= 90%", --gate "precision_low > 0.7" or --gate "failed == 0"',
}

export const triggerMatrixGateSubject: GateSubject = {
  file: 'trigger_matrix.json',
  schema: triggerMatrix,
  shortNames: {
    thefts: 'summary.thefts',
    lowest_recall: 'summary.lowest_recall',
    errors: 'summary.runs_failed',
    cost: 'cost.usd',
  },
  example: 'such as --gate "thefts == 0" or --gate "lowest_recall >= 80%"',
}
