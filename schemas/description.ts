/** `description.json`: what `improve --description` tried, how it chose, and the result on the test queries that it had not used. */
import * as z from 'zod'
import { asked } from './asked.ts'
import { engineChoice } from './plan.ts'

const share = z.number().min(0).max(1)
const count = z.number().int().nonnegative()
const ids = z.array(z.number().int().positive())

/** The results of a description on some queries. */
export const descriptionScore = z.object({
  behaves: share.describe('share of runs with the right behaviour, mean over queries'),
  recall: share.nullable(),
  false_trigger_rate: share.nullable(),
  folder: z.string().describe('folder of its triggers.json, relative to the folder of description.json'),
})

export const descriptionAttempt = z.object({
  round: count.describe('0: the current description'),
  description: z.string(),
  train: descriptionScore.nullable().describe('null: not measured, see refused'),
  refused: z.string().nullable().describe('why the proposal was not measured; null: it was measured'),
})

export const descriptionTest = z.object({
  before: descriptionScore,
  after: descriptionScore,
  difference: z.number().min(-1).max(1).describe('difference of behaves, after − before'),
  p_value: share.describe(
    'one-sided permutation test: runs are exchanged between the two descriptions within each query',
  ),
  alpha: share,
  queries: count,
  runs: count.describe('runs per query and description'),
})

export const description = z.object({
  schema_version: z.literal(1),
  created_at: z.iso.datetime(),
  skill_name: z.string(),
  set: z.object({ path: z.string(), sha256: z.string() }),
  engine: engineChoice,
  proposer: asked,
  seed: z.number().int(),
  split: z.object({
    by: z.enum(['set', 'draw']).describe('set: as given in the query set; draw: stratified random split from the seed'),
    train: ids.describe('query_id of the training queries, the only ones that a proposer sees'),
    test: ids.describe('query_id of the test queries, used once, at the end'),
  }),
  attempts: z.array(descriptionAttempt),
  original: z.string(),
  best: z.string().describe('best description on the training queries'),
  best_round: count,
  test: descriptionTest
    .nullable()
    .describe('null: no proposal was better on the training queries, so the test queries were not used'),
  accepted: z.boolean(),
  reason: z.string().describe('why it was accepted or not, in plain words'),
  warnings: z.array(z.string()).optional().describe('of the first measurement; absent: written by an older version'),
  applied: z.boolean().describe('whether SKILL.md was updated'),
  cost_usd: z.number().nonnegative().nullable().describe('cost of all runs, without the proposer; null: unknown'),
})

/** `search.json`: the settings of a search and the proposals so far, so that it can be resumed. */
export const descriptionSearch = z.object({
  schema_version: z.literal(1),
  asked: z.record(z.string(), z.unknown()).describe('settings that must be the same when the search is resumed'),
  proposals: z.array(
    z.object({
      description: z.string(),
      problem: z.string().nullable().describe('why it cannot be measured; null: it can'),
      spent: z.object({
        calls: count,
        tokens: count.nullable(),
        costUsd: z.number().nonnegative().nullable(),
        model: z.string().nullable(),
      }),
    }),
  ),
})

export type DescriptionSearch = z.infer<typeof descriptionSearch>
export type DescriptionScore = z.infer<typeof descriptionScore>
export type DescriptionAttempt = z.infer<typeof descriptionAttempt>
export type DescriptionTest = z.infer<typeof descriptionTest>
export type Description = z.infer<typeof description>
