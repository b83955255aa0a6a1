/** `history.json`: an improve session, version by version. skill-creator's fields exactly, plus Whetstone's own. */
import * as z from 'zod'
import { certification, confirmation } from './history/certification.ts'
import { searchRound } from './history/round.ts'
import { sessionPlan, split } from './history/session.ts'

const usd = z.number().nonnegative().nullable()

export const iteration = z.looseObject({
  version: z.string(),
  parent: z.string().nullable(),
  expectation_pass_rate: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('on the held-out cases; null: not certified there'),
  grading_result: z
    .enum(['baseline', 'won', 'lost', 'tie'])
    .describe(
      'its rate compared with that of v0 on the same cases, or with that of its parent on the training cases; whether that is certain says `certification`',
    ),
  is_current_best: z.boolean(),
  iteration: z.number().int().nonnegative().optional().describe('the round that wrote it; 0: the baseline'),
  skill_sha256: z.string().optional(),
  training_pass_rate: z.number().min(0).max(1).optional().describe('estimated on the training cases'),
  edits: z.array(z.string()).optional().describe('ids of the edits that this version has on top of its parent'),
  ended_at: z.iso.datetime().optional(),
})

const stopReason = z.enum(['solved', 'rounds', 'no_edit', 'budget', 'interrupted', 'proposer'])

export const history = z.looseObject({
  started_at: z.string(),
  skill_name: z.string(),
  current_best: z.string(),
  iterations: z.array(iteration),
  schema_version: z.literal(2).optional().describe('1: sessions before edits were tried in mixes'),
  split: split.optional(),
  plan: sessionPlan.optional(),
  certify_judge: z
    .string()
    .optional()
    .describe('how the certification is decided, fixed at the start: checks, or engine:model'),
  rounds: z.array(searchRound).optional(),
  failed_proposals: z
    .array(z.object({ round: z.number().int(), reason: z.string(), tokens: z.number().nullable(), cost_usd: usd }))
    .optional()
    .describe('failures of a proposer itself, such as a crash; it was asked again'),
  ending: z
    .object({ reason: stopReason, message: z.string(), certification_runs: z.number().int().positive().optional() })
    .optional()
    .describe('why the search ended; the certification has begun, so no further round follows'),
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
  certification: certification.nullable().optional().describe('null: nothing to certify; absent: not yet'),
  confirmations: z.array(confirmation).optional(),
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
