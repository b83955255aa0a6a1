/** `description.json`: what `improve --description` tried, how it chose, and the result on the test queries that it had not used. */
import * as z from 'zod'
import { asked } from './asked.ts'
import { engineChoice } from './plan.ts'

const share = z.number().min(0).max(1)
const count = z.number().int().nonnegative()
const ids = z.array(z.number().int().positive())

/** The results of a description on some queries. */
export const descriptionScore = z.object({
  behaves: share.describe('mean over queries of the share of runs that do as they should'),
  recall: share.nullable(),
  false_trigger_rate: share.nullable(),
  folder: z.string().describe('of its triggers.json, relative to that of description.json'),
})

export const descriptionAttempt = z.object({
  round: count.describe('0: the description as it is'),
  description: z.string(),
  train: descriptionScore.nullable().describe('null: not measured, see refused'),
  refused: z.string().nullable().describe('why a proposal was not measured; null: it was'),
})

export const descriptionTest = z.object({
  before: descriptionScore,
  after: descriptionScore,
  difference: z.number().min(-1).max(1).describe('of behaves, after − before'),
  p_value: share.describe('one-sided, of the permutation of runs between both descriptions within each query'),
  alpha: share,
  queries: count,
  runs: count.describe('of each query with each description'),
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
    by: z.enum(['set', 'draw']).describe('set: as the set says; draw: stratified, by the seed'),
    train: ids.describe('query_id; all that a proposer ever sees'),
    test: ids.describe('touched once, at the end'),
  }),
  attempts: z.array(descriptionAttempt),
  original: z.string(),
  best: z.string().describe('the best on the training queries'),
  best_round: count,
  test: descriptionTest
    .nullable()
    .describe('null: no proposal was better on the training queries, so it was not touched'),
  accepted: z.boolean(),
  reason: z.string().describe('why it was accepted or not, for a person'),
  applied: z.boolean().describe('SKILL.md was written'),
  cost_usd: z.number().nonnegative().nullable().describe('of all runs, without the proposer; null: unknown'),
})

/** `search.json`: the settings of a search and the proposals so far, so that it can be resumed. */
export const descriptionSearch = z.object({
  schema_version: z.literal(1),
  asked: z.record(z.string(), z.unknown()).describe('what a resumed search must be asked just the same'),
  proposals: z.array(
    z.object({
      description: z.string(),
      problem: z.string().nullable().describe('why it can not be measured; null: it can'),
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
