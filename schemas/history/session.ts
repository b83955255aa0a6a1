/** What an improve session fixes before its first round: which cases the proposer sees, and how many runs each part gets. */
import * as z from 'zod'

const ids = z.array(z.number().int())

export const split = z.object({
  seed: z.number().int(),
  train: ids.describe('training cases: the proposer sees their runs'),
  held_out: ids.describe('held-out cases: they decide once, at the end, and no proposer sees them'),
  strata: z.array(z.object({ stratum: z.string(), train: ids, held_out: ids })),
  drafts: ids.optional().describe('cases drafted by a model and not reviewed'),
  drafts_used: z.boolean().optional().describe('false: they are left out of the split'),
  suite_sha256: z.string(),
  scope: z.string().describe('which cases a claim of this session covers, and what a wider claim would need'),
})

export const sessionPlan = z.object({
  runs: z.number().int().positive().describe('agent runs of the whole session, at most'),
  search_runs: z.number().int().positive().describe('runs on training cases, over all rounds'),
  certification_runs: z.number().int().positive().describe('runs on held-out cases, both versions together'),
  rounds: z.number().int().positive(),
  alpha: z.number().describe('significance level of the session, spent once, by the certification'),
  detectable: z.number().describe('minimum gain that the certification detects at 80% power'),
  power: z
    .array(z.object({ gain: z.number(), power: z.number().min(0).max(1) }))
    .describe('chance that the certification shows a version with this true gain'),
})

export type Split = z.infer<typeof split>
export type SessionPlan = z.infer<typeof sessionPlan>
