/** A round of the improve search: separate edits by several proposers, tried in mixes on the training cases. */
import * as z from 'zod'

const usd = z.number().nonnegative().nullable()

const editFile = z.object({
  path: z.string().describe('path relative to the skill folder'),
  change: z.enum(['added', 'modified', 'deleted']),
  lines_added: z.number().int().nonnegative(),
  lines_removed: z.number().int().nonnegative(),
})

/** One change to the skill that a proposer offered separately from its others. */
const proposedEdit = z.object({
  id: z.string().describe('round.proposal.change, such as 2.1.3'),
  summary: z.string().describe("in the proposer's own words"),
  why: z.string().describe('the observation in the training cases behind the change'),
  files: z.array(editFile),
  diff: z.string().describe('lines added and removed, per file; cut at 20,000 characters'),
  refused: z
    .object({ rule: z.string(), reason: z.string() })
    .optional()
    .describe('the check that refused it before any run; absent: it ran'),
  effect: z
    .number()
    .nullable()
    .describe(
      'estimated change of the pass rate on training cases, shrunk towards 0: a search estimate, not a proof; null: it did not run',
    ),
  runs_with: z.number().int().nonnegative().describe('graded runs of the round that had the edit'),
  runs_without: z.number().int().nonnegative(),
  cases: z
    .array(z.object({ eval_id: z.number().int(), with: z.number().nullable(), without: z.number().nullable() }))
    .describe('mean pass rate of each training case with and without the edit; null: no such run'),
  kept: z.boolean().describe('whether the next version has it'),
})

const roundProposal = z.object({
  number: z.number().int().positive(),
  focus: z.string().describe('the failures that this proposer was asked to look at first'),
  engine: z.string(),
  model: z.string().nullable(),
  tokens: z.number().nonnegative().nullable(),
  cost_usd: usd,
  refused: z
    .object({ rule: z.string(), reason: z.string() })
    .optional()
    .describe('why the proposal as a whole could not be used; absent: it was'),
  edits: z.array(proposedEdit),
})

export const searchRound = z.object({
  round: z.number().int().positive(),
  parent: z.string().describe('the version that the edits were written for'),
  version: z.string().nullable().describe('the parent with the kept edits; null: no edit was kept'),
  shown: z
    .object({ runs: z.number().int().nonnegative(), pass_rate: z.number().min(0).max(1).nullable() })
    .describe('runs of the parent that the proposers read'),
  runs: z.number().int().nonnegative().describe('graded runs of this round'),
  benchmarks: z
    .object({ shown: z.array(z.string()), mixes: z.string().optional() })
    .describe('folders, relative to the workspace; mixes: versions with random halves of the edits'),
  estimate: z
    .object({ parent: z.number(), version: z.number() })
    .nullable()
    .describe('estimated pass rate on training cases of the parent and of the version; null: no edit ran'),
  proposals: z.array(roundProposal),
  ended_at: z.iso.datetime(),
})

export type EditFile = z.infer<typeof editFile>
export type ProposedEdit = z.infer<typeof proposedEdit>
export type RoundProposal = z.infer<typeof roundProposal>
export type SearchRound = z.infer<typeof searchRound>
