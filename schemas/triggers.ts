/** `triggers.json`: for which queries an agent used the skill. skill-creator's output fields, and more that they lack. */
import * as z from 'zod'
import { stop } from './limits.ts'
import { configuration, engineChoice, sandboxUse } from './plan.ts'
import { failureKind } from './run.ts'
import { loadWarning } from './suite.ts'
import { cost } from './usage.ts'

const count = z.number().int().nonnegative()
const share = z.number().min(0).max(1)

/** A share with its Wilson interval; `n`: the number of units that the interval treats as independent. */
export const triggerShare = z.object({ value: share, ci_low: share, ci_high: share, n: count })

/** One run of a query. A run without an answer is an error, never "not triggered". */
export const triggerRun = z.object({
  run_number: z.number().int().positive(),
  run_id: z.string().describe('its folder, relative to that of triggers.json'),
  outcome: z
    .enum(['triggered', 'not_triggered', 'error', 'missing'])
    .describe('missing: it was not made (budget, Ctrl-C)'),
  via: z.string().nullable().describe('the tool that read the skill, such as Skill or Read; null: not read'),
  at_step: count.nullable().describe('the model response that read it, from 1'),
  before: z.array(z.string()).describe('tools called before the skill was read; of a run without, all of them'),
  others: z.array(z.string()).describe('other skills that it read until then'),
  stopped: z.boolean().describe('ended by us as soon as the skill was read'),
  at_limit: z.boolean().describe('ended at the most model responses allowed, without the skill'),
  error: z
    .object({ kind: z.union([failureKind, z.enum(['timed_out', 'cancelled', 'unseen'])]), message: z.string() })
    .nullable()
    .describe('unseen: the engine does not show whether skills are read'),
  attempts: count,
  duration_ms: z.number().nonnegative().nullable(),
  tokens: z.number().nonnegative().nullable(),
  cost: cost.nullable(),
})

/** One query of the set. Queries with equal texts are separate: they differ in `query_id`. */
export const triggerResult = z.object({
  query_id: z.number().int().positive().describe('its place in the set, from 1'),
  id: z.string().nullable().describe("the set's own id"),
  query: z.string(),
  should_trigger: z.boolean(),
  trigger_rate: share.nullable().describe('triggers ÷ runs; null: no run has an answer'),
  ci_low: share,
  ci_high: share,
  triggers: count,
  runs: count.describe('those with an answer'),
  errors: count,
  missing: count,
  pass: z
    .boolean()
    .nullable()
    .describe('rate ≥ threshold where it should trigger, else rate < threshold; null: no run has an answer'),
  split: z.enum(['train', 'test']).nullable().describe('as the set says'),
  note: z.string().nullable().describe("the set's own reason, note or category"),
  draft: z.literal(true).optional().describe('a model wrote it and nobody has reviewed it yet'),
  query_runs: z.array(triggerRun),
})

/** A query that the description gets wrong. */
export const triggerConfusion = z.object({
  query_id: z.number().int().positive(),
  query: z.string(),
  kind: z.enum(['missed', 'wrongly_triggered']),
  trigger_rate: share,
  instead: z
    .array(z.object({ skill: z.string(), runs: count }))
    .describe('other skills that its runs read, most first'),
})

export const triggerMetrics = z.object({
  matrix: z
    .object({ true_positive: count, false_negative: count, false_positive: count, true_negative: count })
    .describe('runs'),
  recall: triggerShare.nullable().describe('mean trigger rate of queries that should trigger; null: there is none'),
  precision: triggerShare
    .nullable()
    .describe('of the runs that triggered, the share that should; null: none triggered'),
  false_trigger_rate: triggerShare.nullable().describe('mean trigger rate of queries that should not'),
  accuracy: triggerShare.nullable().describe('share of queries that pass'),
  method: z.literal('wilson over queries').describe('runs of one query are alike, so that queries are what is counted'),
})

/** What stopping early saved. It is an estimate: what a stopped run would have used is not known. */
export const triggerSaving = z.object({
  stopped: count.describe('runs ended by us'),
  of: count.describe('runs with an answer'),
  unit: z.enum(['usd', 'tokens', 'seconds']),
  mean_stopped: z.number().nonnegative(),
  mean_whole: z.number().nonnegative().nullable().describe('of a run that came to its own end; null: none is known'),
  basis: z.enum([
    'triggered runs that went to their end',
    'benchmark runs that read the skill',
    'runs that did not trigger',
    'none',
  ]),
  saved: z.number().nullable().describe('in the unit, over all stopped runs; null: unknown'),
  saved_share: z.number().max(1).nullable().describe('of what the stopped runs would have taken'),
})

export const triggers = z.object({
  schema_version: z.literal(1),
  created_at: z.iso.datetime(),
  skill_name: z.string(),
  description: z.string().describe('the one that was tested'),
  skill_sha256: z.string(),
  set: z.object({
    path: z.string(),
    sha256: z.string(),
    format: z.string(),
    drafts: count.optional().describe('queries that a model wrote and nobody has reviewed yet'),
    warnings: z.array(loadWarning),
  }),
  among: z.array(z.object({ name: z.string(), description: z.string() })).describe('skills installed beside it'),
  configuration,
  engine: engineChoice,
  version: z.string().nullable().describe('of the engine'),
  model: z.string().nullable().describe('the one really used'),
  sandbox: sandboxUse.nullable(),
  options: z.object({
    runs: z.number().int().positive().describe('planned of each query'),
    threshold: share,
    timeout_seconds: z.number().positive(),
    max_turns: z.number().int().positive().nullable(),
    stop_early: z.boolean(),
  }),
  results: z.array(triggerResult),
  summary: z.object({
    total: count.describe('queries'),
    passed: count,
    failed: count,
    undecided: count.describe('queries without an answer: in no rate'),
    runs_planned: count,
    runs_decided: count,
    runs_failed: count,
    runs_missing: count,
  }),
  metrics: triggerMetrics,
  confusions: z.array(triggerConfusion),
  cost: z.object({
    usd: z.number().nonnegative().nullable().describe('of all runs whose cost is known; null: none is'),
    tokens: z.number().nonnegative().nullable(),
    seconds: z.number().nonnegative().describe("the agents' working time"),
    unknown: count.describe('runs whose cost is not known'),
  }),
  saving: triggerSaving.nullable().describe('null: no run was stopped'),
  complete: z.boolean().describe('every planned run has an answer'),
  stop: stop.nullable().describe('what ended it early'),
  warnings: z.array(z.string()),
})

export type TriggerShare = z.infer<typeof triggerShare>
export type TriggerRun = z.infer<typeof triggerRun>
export type TriggerResult = z.infer<typeof triggerResult>
export type TriggerMetrics = z.infer<typeof triggerMetrics>
export type TriggerConfusion = z.infer<typeof triggerConfusion>
export type TriggerSaving = z.infer<typeof triggerSaving>
export type Triggers = z.infer<typeof triggers>
