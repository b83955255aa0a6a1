/** The result of `prune`: what each unit of a skill changes and costs, and whether the skill without the others is as good and cheaper. */
import * as z from 'zod'
import { split } from './history/session.ts'
import { stopKind } from './limits.ts'

const estimate = z.object({
  mean: z.number(),
  ci_low: z.number(),
  ci_high: z.number(),
})

export const skillUnit = z.object({
  id: z.string(),
  kind: z.enum(['section', 'item', 'reference', 'script']),
  label: z.string().describe('the heading, the beginning of the text, or the file'),
  lines: z
    .array(z.object({ start: z.number().int().positive(), end: z.number().int().positive() }))
    .describe('of SKILL.md, from 1, both included'),
  files: z.array(z.string()).describe('relative to the skill'),
  characters: z.number().int().nonnegative().describe('of its lines and files'),
  protected: z.boolean().describe('true: --protect names it, so that no run leaves it out'),
})

const screenedUnit = z.object({
  id: z.string(),
  verdict: z
    .enum(['helps', 'open', 'none', 'harms'])
    .describe(
      'helps: shown; open: an effect of the size to detect is not ruled out; none: it is; harms: shown. The last two are left out',
    ),
  effect: estimate.extend({
    p_value: z.number(),
    p_adjusted: z.number().describe('by Benjamini and Hochberg, over the units'),
  }),
  tokens: estimate.nullable().describe('per run; null: unknown'),
  seconds: estimate.nullable(),
  usd: estimate.nullable(),
})

const screening = z.object({
  benchmark: z.string().describe('the folder of its runs, relative to the workspace'),
  runs: z.number().int().describe('with a grade'),
  variants: z.number().int().describe('versions of the skill that ran'),
  pass_rate: z.number().describe('of the runs, which each leave out half of the units'),
  variance: z.number().describe("of a run's pass rate within its case"),
  units: z.array(screenedUnit),
})

export const dietCertification = z.object({
  benchmark: z.string().describe('the folder of its runs, relative to the workspace'),
  result: z.enum(['kept_shorter', 'kept_full']),
  reason: z.string(),
  margin: z.number(),
  alpha: z.number(),
  full: z.number().nullable().describe('pass rate'),
  pruned: z.number().nullable(),
  difference: estimate
    .extend({
      lower_bound: z
        .number()
        .describe('of the one-sided 95% interval: above −margin, the pruned skill is non-inferior'),
      p_value: z.number().describe('one-sided, of a loss of the margin or more'),
    })
    .nullable()
    .describe('pruned − full; null: no case has graded runs of both'),
  cost: z
    .object({
      unit: z.enum(['usd', 'tokens']),
      ratio: z.number().describe('pruned ÷ full'),
      upper_bound: z.number().nullable().describe('of the one-sided 95% interval; null: too few runs'),
    })
    .nullable()
    .describe('null: unknown'),
  n_cases: z.number().int(),
  n_runs: z.number().int(),
  cases: z.array(z.object({ eval_id: z.number().int(), full: z.number(), pruned: z.number() })),
})

export const prunePlan = z.object({
  units: z.number().int().describe('that runs leave out'),
  detect: z.number().describe('the smallest loss that counts, as a share of the pass rate'),
  margin: z.number(),
  screening_runs: z.number().int(),
  variants: z.number().int(),
  drop_power: z.number().describe('chance that a unit without an effect is dropped'),
  leave_one_out_runs: z.number().int().describe('that leaving out one unit at a time would take'),
  certification_runs: z.number().int().describe('at most'),
})

export const pruneReport = z.object({
  schema_version: z.literal(1),
  created_at: z.string(),
  skill_name: z.string(),
  skill_sha256: z.string(),
  seed: z.number().int(),
  engine: z.string(),
  judge: z.string().nullable(),
  split,
  plan: prunePlan,
  units: z.array(skillUnit),
  screening: screening.nullable().describe('null: not ended'),
  dropped: z.array(z.string()).describe('ids of the units that the pruned skill leaves out'),
  pruned_sha256: z.string().nullable().describe('null: nothing to leave out, or not known yet'),
  certification: dietCertification.nullable().describe('null: nothing to certify, or not ended'),
  usd: z.number().nullable().describe('of all its runs; null: unknown'),
  stopped: z
    .object({ kind: z.union([stopKind, z.literal('interrupted')]), message: z.string() })
    .nullable()
    .describe('why it is not over; the same command continues'),
  sentence: z.string(),
  ended_at: z.string().nullable(),
})

export type SkillUnit = z.infer<typeof skillUnit>
export type PrunePlan = z.infer<typeof prunePlan>
export type DietCertification = z.infer<typeof dietCertification>
export type Prune = z.infer<typeof pruneReport>
