/** `history.json`: the improve loop, version by version. skill-creator's fields exactly, plus Whetstone's own. */
import * as z from 'zod'
import { gateResult } from './history/gate.ts'
import { headroom, sessionTestResult, split } from './history/session.ts'

const usd = z.number().nonnegative().nullable()

/** What a proposer changed, in its own words and in numbers. */
export const proposal = z.object({
  summary: z.string().describe("in the proposer's own words"),
  why: z.string().describe('the observation in the training cases behind the change'),
  files: z.array(
    z.object({
      path: z.string().describe('path relative to the skill folder'),
      change: z.enum(['added', 'modified', 'deleted']),
      lines_added: z.number().int().nonnegative(),
      lines_removed: z.number().int().nonnegative(),
    }),
  ),
  engine: z.string(),
  model: z.string().nullable(),
  tokens: z.number().nonnegative().nullable(),
  cost_usd: usd,
})

export const iteration = z.looseObject({
  version: z.string(),
  parent: z.string().nullable(),
  expectation_pass_rate: z
    .number()
    .min(0)
    .max(1)
    .describe('over the deciding cases: validation, or training if the version was rejected before validation'),
  grading_result: z.enum(['baseline', 'won', 'lost', 'tie']),
  is_current_best: z.boolean(),
  iteration: z.number().int().nonnegative().optional().describe('0: the baseline'),
  skill_sha256: z.string().optional(),
  rate_of: z.enum(['validation', 'train']).optional().describe('which cases expectation_pass_rate covers'),
  benchmarks: z
    .object({ train: z.string().optional(), validation: z.string().optional(), noise: z.string().optional() })
    .optional()
    .describe('folders, relative to the workspace; noise: the baseline compared with itself'),
  gate: gateResult.optional().describe('absent: the baseline'),
  proposal: proposal.optional().describe('absent: the baseline'),
  cost_usd: usd.optional().describe('cost of the iteration without its benchmarks; null: unknown'),
  ended_at: z.iso.datetime().optional(),
})

const stopReason = z.enum(['no_headroom', 'solved', 'plateau', 'iterations', 'budget', 'interrupted', 'proposer'])

/** A proposal that was refused before any agent ran with it. */
export const refusedProposal = z.object({
  iteration: z.number().int().positive(),
  parent: z.string(),
  rule: z.string().describe('the static check that refused it, such as leakage or skill_invalid'),
  reason: z.string(),
  proposal: proposal.nullable().describe('null: the proposer returned nothing that can be described'),
  cost_usd: usd,
  ended_at: z.iso.datetime(),
})

export const history = z.looseObject({
  started_at: z.string(),
  skill_name: z.string(),
  current_best: z.string(),
  iterations: z.array(iteration),
  schema_version: z.literal(1).optional(),
  split: split.optional(),
  headroom: headroom.optional(),
  refused: z.array(refusedProposal).optional(),
  ending: z
    .object({ reason: stopReason, message: z.string() })
    .optional()
    .describe('the final test has begun, so no further round follows'),
  stopped: z
    .object({
      reason: stopReason,
      message: z.string(),
      failures: z
        .array(z.object({ kind: z.string(), cases: z.array(z.number().int()), runs: z.number().int() }))
        .optional()
        .describe('remaining failures on the training cases, by kind, most frequent first'),
    })
    .optional()
    .describe('absent: still running'),
  test: sessionTestResult.nullable().optional().describe('null: no test; absent: not tested yet'),
  benchmarks_usd: usd
    .optional()
    .describe("cost of the loop's benchmarks so far, including unfinished ones; null: unknown"),
  benchmarks_unknown: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('runs and gradings not included in benchmarks_usd because their cost was not reported'),
  ended_at: z.iso.datetime().optional(),
})

export type History = z.infer<typeof history>
export type Iteration = z.infer<typeof iteration>
export type RefusedProposal = z.infer<typeof refusedProposal>
export type Proposal = z.infer<typeof proposal>
