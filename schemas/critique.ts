/** What `whetstone check --critique <benchmark>` proposes: edits of a suite, each with the numbers behind it. */
import * as z from 'zod'
import { check } from './check.ts'
import { severity } from './check_report.ts'

const count = z.number().int().nonnegative()
const tally = z.object({ passed: count, total: count })

export const critiqueKind = z.enum([
  'always_passes',
  'never_passes',
  'redundant',
  'votes_differ',
  'verdict_turns',
  'quotes_not_found',
  'undecided',
  'feedback',
])

export const critiqueNumbers = z.object({
  verdicts: z.record(z.string(), tally).describe('by configuration: passed and decided, over all runs'),
  of: count.describe('number examined: verdicts, passes or gradings, as the message says'),
  found: count.describe('how many of them the finding is about'),
  agreement: z.number().min(0.5).max(1).optional().describe('votes_differ: mean share of votes on the larger side'),
})

export const suiteEdit = z.object({
  op: z
    .enum(['remove', 'reword', 'to_check', 'add'])
    .describe(
      'remove: delete it; reword: phrase it differently; to_check: let code decide it; add: add an expectation to the case',
    ),
  text: z.string().describe('what to do, as a sentence'),
  check: check.optional().describe('to_check: the check to use instead'),
})

export const critiqueFinding = z.object({
  kind: critiqueKind,
  severity: severity.describe('info: too few verdicts to be sure, or the opinion of a judge'),
  file: z.string().nullable().describe('absolute path of the suite; null: unknown'),
  at: z.string().nullable().describe('JSON path in it, such as $.evals[0].expectations[2]'),
  eval_id: z.number().int(),
  eval_name: z.string(),
  expectation: z.string().nullable().describe('null: the finding is about the whole case'),
  message: z.string().describe('the observation, with its numbers'),
  numbers: critiqueNumbers,
  edit: suiteEdit,
})

export const critique = z.object({
  schema_version: z.literal(1),
  benchmark: z.string().describe('absolute path of the folder'),
  suite: z.string().nullable().describe('absolute path of the suite to edit; null: unknown'),
  runs: count.describe('graded runs examined'),
  cases: count,
  findings: z.array(critiqueFinding),
  gone: count.describe('findings left out because the suite no longer has the statement'),
  notes: z.array(z.string()).describe('what could not be examined'),
})

export type CritiqueKind = z.infer<typeof critiqueKind>
export type CritiqueNumbers = z.infer<typeof critiqueNumbers>
export type SuiteEdit = z.infer<typeof suiteEdit>
export type CritiqueFinding = z.infer<typeof critiqueFinding>
export type Critique = z.infer<typeof critique>
