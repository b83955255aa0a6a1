/** `history.json`: the improve loop, version by version. skill-creator's fields exactly, plus Whetstone's own. */
import * as z from 'zod'
import { gateResult } from './history/gate.ts'
import { headroom, sessionTestResult, split } from './history/session.ts'

const usd = z.number().nonnegative().nullable()

/** What a proposer changed, in its own words and in numbers. */
export const proposal = z.object({
  summary: z.string().describe("the proposer's own words"),
  why: z.string().describe('what it saw in the training cases that made it change this'),
  files: z.array(
    z.object({
      path: z.string().describe('relative to the skill'),
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
    .describe('over the cases that decided: validation; of a version rejected earlier, training'),
  grading_result: z.enum(['baseline', 'won', 'lost', 'tie']),
  is_current_best: z.boolean(),
  iteration: z.number().int().nonnegative().optional().describe('0: the baseline'),
  skill_sha256: z.string().optional(),
  rate_of: z.enum(['validation', 'train']).optional().describe('the cases of expectation_pass_rate'),
  benchmarks: z
    .object({ train: z.string().optional(), validation: z.string().optional(), noise: z.string().optional() })
    .optional()
    .describe('folders, relative to the workspace; noise: the baseline against itself'),
  gate: gateResult.optional().describe('absent: the baseline'),
  proposal: proposal.optional().describe('absent: the baseline'),
  cost_usd: usd.optional().describe('what the iteration cost besides its benchmarks; null: unknown'),
  ended_at: z.iso.datetime().optional(),
})

const stopReason = z.enum(['no_headroom', 'solved', 'plateau', 'iterations', 'budget', 'interrupted', 'proposer'])

/** A proposal that was refused before any agent ran with it. */
export const refusedProposal = z.object({
  iteration: z.number().int().positive(),
  parent: z.string(),
  rule: z.string().describe('the static check that refused it, such as leakage or skill_invalid'),
  reason: z.string(),
  proposal: proposal.nullable().describe('null: the proposer gave none that can be described'),
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
    .describe('the look at the test cases has begun: no further round follows'),
  stopped: z
    .object({
      reason: stopReason,
      message: z.string(),
      failures: z
        .array(z.object({ kind: z.string(), cases: z.array(z.number().int()), runs: z.number().int() }))
        .optional()
        .describe('what still fails on the training cases, by class, the most frequent first'),
    })
    .optional()
    .describe('absent: it is under way'),
  test: sessionTestResult.nullable().optional().describe('null: there was none; absent: not made yet'),
  benchmarks_usd: usd
    .optional()
    .describe(
      'what the benchmarks of the loop cost so far, those that did not come to their end included; null: unknown',
    ),
  benchmarks_unknown: z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('runs and gradings whose cost is not in it, since it was not reported'),
  ended_at: z.iso.datetime().optional(),
})

export type History = z.infer<typeof history>
export type Iteration = z.infer<typeof iteration>
export type RefusedProposal = z.infer<typeof refusedProposal>
export type Proposal = z.infer<typeof proposal>
