/** `trigger_matrix.json`: which of many skills an agent reads for whose queries, from `triggers --all`. */
import * as z from 'zod'
import { stop } from './limits.ts'
import { descriptionOverlap } from './overlap.ts'
import { engineChoice, sandboxUse } from './plan.ts'
import { loadWarning } from './suite.ts'
import { triggerShare } from './triggers.ts'
import { cost } from './usage.ts'

const count = z.number().int().nonnegative()
const share = z.number().min(0).max(1)

/** `skill` null: no installed skill was read. */
export const skillReadCount = z.object({ skill: z.string().nullable(), runs: count })

/** One distinct query. A text in the sets of several skills is one query. */
export const matrixQuery = z.object({
  query_id: z.number().int().positive(),
  query: z.string(),
  asked_with: z
    .string()
    .describe('the skill whose queries it is run with: its first owner, else the first that has it'),
  owners: z.array(z.string()).describe('skills that should be read; empty: none of those that have it'),
  not_of: z.array(z.string()).describe('skills whose set says that they should not be read'),
  draft: z.literal(true).optional().describe('true: a model wrote the query and it has not been reviewed yet'),
  runs: count.describe('runs with an answer'),
  errors: count,
  missing: count.describe('runs that were due and did not start'),
  reads: z.array(skillReadCount).describe('the skill that each run read first, most frequent first'),
})

/** One run of a query. */
export const matrixRun = z.object({
  query_id: z.number().int().positive(),
  run_number: z.number().int().positive(),
  run_id: z.string().describe('folder of the run, relative to the folder of trigger_matrix.json'),
  outcome: z.enum(['answered', 'error', 'missing']),
  read: z.string().nullable().describe('the skill that it read first; null: none, or no answer'),
  error: z.object({ kind: z.string(), message: z.string() }).nullable(),
  tokens: z.number().nonnegative().nullable(),
  duration_ms: z.number().nonnegative().nullable(),
  cost: cost.nullable(),
})

/** A skill that was read for queries of another one. */
export const skillTheft = z.object({
  skill: z.string().describe('the skill whose queries they are'),
  taken_by: z.string(),
  reads: count.describe('runs of its queries that read the other skill first'),
  runs: count.describe('runs of its queries with an answer'),
  rate: triggerShare.describe('mean over its queries'),
  query_ids: z.array(z.number().int().positive()).describe('its queries with such a run'),
  p_value: share.describe('of "the rate is at most the tolerated one"; valid although runs stop early'),
  q_value: share.describe('p_value adjusted for all pairs (Benjamini and Hochberg)'),
  named: z.boolean().describe('q_value ≤ options.fdr: the result says that it takes the queries'),
})

export const matrixSkill = z.object({
  name: z.string(),
  description: z.string(),
  sha256: z.string(),
  set: z.string().nullable().describe('file of its queries; null: it only competes'),
  queries: count.describe('its own queries: those that should read it'),
  runs: count.describe('their runs with an answer'),
  rounds: count.describe('how often its queries were run'),
  ended: z
    .enum(['decided', 'limit', 'open', 'no_queries'])
    .describe('decided: it is known of every other skill whether it takes queries; limit: the maximum number of runs'),
  recall: triggerShare.nullable().describe('mean share of runs of its own queries that read it first'),
  precision: triggerShare
    .nullable()
    .describe('share of its reads that were for its own queries, every query weighing the same; null: never read'),
  false_trigger_rate: triggerShare.nullable().describe('mean share over queries that should not read it; null: none'),
  reads: z.array(skillReadCount).describe('what the runs of its own queries read first'),
  takes_from: z.array(z.string()).describe('skills whose queries it takes'),
  loses_to: z.array(z.string()).describe('skills that take its queries'),
})

export const triggerMatrix = z.object({
  schema_version: z.literal(1),
  created_at: z.iso.datetime(),
  name: z.string().describe('name of the folder of skills'),
  skills_folder: z.string(),
  engine: engineChoice,
  version: z.string().nullable().describe('version of the engine'),
  model: z.string().nullable().describe('the model that was actually used'),
  sandbox: sandboxUse.nullable(),
  options: z.object({
    runs: z.number().int().positive().describe('most runs per query'),
    until: z.enum(['decided', 'all']),
    tolerated_rate: share.describe('a skill that is read for at most this share of the runs takes nothing'),
    theft_rate: share.describe('early stop is allowed to miss a skill with at least this rate …'),
    miss_rate: share.describe('… at most this often'),
    fdr: share.describe('share of wrongly named pairs among all named ones, at most, on average'),
    timeout_seconds: z.number().positive(),
    max_turns: z.number().int().positive().nullable(),
    stop_early: z.boolean().describe('runs end as soon as a skill is read'),
  }),
  skills: z.array(matrixSkill),
  queries: z.array(matrixQuery),
  pairs: z.array(skillTheft).describe('every pair with at least one read, the strongest evidence first'),
  pairs_tested: count,
  overlaps: z.array(descriptionOverlap).describe('descriptions that share many words: the static look'),
  runs: z.array(matrixRun),
  summary: z.object({
    skills: count,
    queries: count,
    thefts: count.describe('named pairs'),
    lowest_recall: share.nullable(),
    runs_grid: count.describe('queries × most runs'),
    runs_planned: count.describe('runs that were due: those of decided queries end early'),
    runs_decided: count,
    runs_failed: count,
    runs_missing: count,
    grid_share: share.describe('runs_planned ÷ runs_grid'),
  }),
  cost: z.object({
    usd: z.number().nonnegative().nullable().describe('over all runs whose cost is known; null: none known'),
    tokens: z.number().nonnegative().nullable(),
    seconds: z.number().nonnegative().describe("the agents' working time"),
    unknown: count.describe('runs whose cost is unknown'),
  }),
  set_warnings: z.array(loadWarning),
  complete: z.boolean().describe('every due run has an answer, and no query is undecided'),
  stop: stop.nullable().describe('why it ended early'),
  warnings: z.array(z.string()),
})

export type QueryReadCount = z.infer<typeof skillReadCount>
export type MatrixQuery = z.infer<typeof matrixQuery>
export type MatrixRun = z.infer<typeof matrixRun>
export type SkillTheft = z.infer<typeof skillTheft>
export type MatrixSkill = z.infer<typeof matrixSkill>
export type TriggerMatrix = z.infer<typeof triggerMatrix>

/** A round of `triggers --all` begins. */
export const triggerRound = z.object({
  round: z.number().int().positive(),
  runs: z.number().int().describe('runs of this round, one for each query that is not decided'),
})
