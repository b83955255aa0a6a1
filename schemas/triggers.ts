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
  run_id: z.string().describe('folder of the run, relative to the folder of triggers.json'),
  outcome: z
    .enum(['triggered', 'not_triggered', 'error', 'missing'])
    .describe('missing: it did not run (budget, Ctrl-C)'),
  via: z.string().nullable().describe('the tool that read the skill, such as Skill or Read; null: not read'),
  at_step: count.nullable().describe('the model response that read it, from 1'),
  before: z.array(z.string()).describe('tools called before the skill was read; all tools if it was not read'),
  others: z.array(z.string()).describe('other skills read until then'),
  stopped: z.boolean().describe('true: Whetstone ended it as soon as the skill was read'),
  at_limit: z.boolean().describe('true: it reached the maximum number of model responses without reading the skill'),
  error: z
    .object({ kind: z.union([failureKind, z.enum(['timed_out', 'cancelled', 'unseen'])]), message: z.string() })
    .nullable()
    .describe('unseen: the engine does not report whether skills are read'),
  attempts: count,
  duration_ms: z.number().nonnegative().nullable(),
  tokens: z.number().nonnegative().nullable(),
  cost: cost.nullable(),
})

/** One query of the set. Queries with equal texts are separate: they differ in `query_id`. */
export const triggerResult = z.object({
  query_id: z.number().int().positive().describe('position in the set, from 1'),
  id: z.string().nullable().describe("the set's own id"),
  query: z.string(),
  should_trigger: z.boolean(),
  trigger_rate: share.nullable().describe('triggers ÷ runs; null: no run has an answer'),
  ci_low: share,
  ci_high: share,
  triggers: count,
  runs: count.describe('runs with an answer'),
  errors: count,
  missing: count,
  pass: z
    .boolean()
    .nullable()
    .describe('rate ≥ threshold if it should trigger, otherwise rate < threshold; null: no run has an answer'),
  split: z.enum(['train', 'test']).nullable().describe('as given in the set'),
  note: z.string().nullable().describe("the set's own reason, note or category"),
  draft: z.literal(true).optional().describe('true: a model wrote the query and it has not been reviewed yet'),
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
    .describe('other skills that its runs read, most frequent first'),
})

export const triggerMetrics = z.object({
  matrix: z
    .object({ true_positive: count, false_negative: count, false_positive: count, true_negative: count })
    .describe('runs'),
  recall: triggerShare.nullable().describe('mean trigger rate of queries that should trigger; null: no such query'),
  precision: triggerShare.nullable().describe('share of triggered runs that should trigger; null: none triggered'),
  false_trigger_rate: triggerShare.nullable().describe('mean trigger rate of queries that should not'),
  accuracy: triggerShare.nullable().describe('share of queries that pass'),
  method: z.literal('wilson over queries').describe('runs of one query are not independent, so n counts queries'),
})

/** What stopping early saved. It is an estimate: what a stopped run would have used is not known. */
export const triggerSaving = z.object({
  stopped: count.describe('runs that Whetstone ended early'),
  of: count.describe('runs with an answer'),
  unit: z.enum(['usd', 'tokens', 'seconds']),
  mean_stopped: z.number().nonnegative(),
  mean_whole: z.number().nonnegative().nullable().describe('mean of runs that ran to their end; null: unknown'),
  basis: z.enum([
    'triggered runs that went to their end',
    'benchmark runs that read the skill',
    'runs that did not trigger',
    'none',
  ]),
  saved: z.number().nullable().describe('amount saved over all stopped runs, in unit; null: unknown'),
  saved_share: z.number().max(1).nullable().describe('share of what the stopped runs would have used'),
})

export const triggers = z.object({
  schema_version: z.literal(1),
  created_at: z.iso.datetime(),
  skill_name: z.string(),
  description: z.string().describe('the description that was tested'),
  skill_sha256: z.string(),
  set: z.object({
    path: z.string(),
    sha256: z.string(),
    format: z.string(),
    drafts: count.optional().describe('queries that a model wrote and that have not been reviewed yet'),
    warnings: z.array(loadWarning),
  }),
  among: z.array(z.object({ name: z.string(), description: z.string() })).describe('other skills installed next to it'),
  configuration,
  engine: engineChoice,
  version: z.string().nullable().describe('version of the engine'),
  model: z.string().nullable().describe('the model that was actually used'),
  sandbox: sandboxUse.nullable(),
  options: z.object({
    runs: z.number().int().positive().describe('planned runs per query'),
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
    undecided: count.describe('queries without an answer; not in any rate'),
    runs_planned: count,
    runs_decided: count,
    runs_failed: count,
    runs_missing: count,
  }),
  metrics: triggerMetrics,
  confusions: z.array(triggerConfusion),
  cost: z.object({
    usd: z.number().nonnegative().nullable().describe('over all runs whose cost is known; null: none known'),
    tokens: z.number().nonnegative().nullable(),
    seconds: z.number().nonnegative().describe("the agents' working time"),
    unknown: count.describe('runs whose cost is unknown'),
  }),
  saving: triggerSaving.nullable().describe('null: no run was stopped'),
  complete: z.boolean().describe('every planned run has an answer'),
  stop: stop.nullable().describe('why it ended early'),
  warnings: z.array(z.string()),
})

export type TriggerShare = z.infer<typeof triggerShare>
export type TriggerRun = z.infer<typeof triggerRun>
export type TriggerResult = z.infer<typeof triggerResult>
export type TriggerMetrics = z.infer<typeof triggerMetrics>
export type TriggerConfusion = z.infer<typeof triggerConfusion>
export type TriggerSaving = z.infer<typeof triggerSaving>
export type Triggers = z.infer<typeof triggers>
