/** `rank.json`: several skills or engines on one suite, with the ranks that each may have. */
import * as z from 'zod'
import { stop } from './limits.ts'
import { engineChoice } from './plan.ts'

const count = z.int().nonnegative()
const share = z.number().min(0).max(1)
const usd = z.number().nonnegative().nullable()

/** An interim look at a race. */
const look = {
  blocks: z
    .int()
    .positive()
    .describe('blocks so far: a block is a case × a run number, with a run of every contender in the race'),
  running: z.array(z.string()).describe('contenders that had runs up to this look'),
  stopped: z.array(z.string()).describe('those of them that can no longer win and get no more runs'),
}

export const rankedContender = z.object({
  name: z.string(),
  source: z.string().describe('folder of the skill, engine:model, or the name in the results'),
  sha256: z.string().nullable().describe('of the skill; null: not a skill'),
  engine: engineChoice.nullable().describe('null: results of another tool'),
  rank_best: z.int().positive(),
  rank_worst: z
    .int()
    .positive()
    .describe('the true rank is from rank_best to rank_worst; all intervals hold at once with 95% confidence'),
  groups: z.string().describe('letters: contenders that share one are not separated'),
  pass_rate: share.nullable().describe('mean over the cases; null: no run has a score'),
  runs: count.describe('runs with a score'),
  left_out: count.describe('runs that ended without a score'),
  stopped_after: z
    .int()
    .positive()
    .nullable()
    .describe('blocks after which it could no longer win; null: it was not stopped'),
  cost_usd: usd.describe('agent and judge, of all its runs; null: unknown'),
  cost_per_run_usd: usd,
})

export const rankedPair = z.object({
  a: z.string(),
  b: z.string(),
  blocks: count.describe('blocks that both ran, and were compared on'),
  difference: z
    .number()
    .min(-1)
    .max(1)
    .nullable()
    .describe('pass rate of a − pass rate of b, the mean over the cases; null: nothing to compare'),
  ci_low: z.number().nullable().describe('interval of all pairs and looks together, by Bonferroni'),
  ci_high: z.number().nullable(),
  p_value: share.nullable().describe('moderated t, of this pair and this look alone'),
  p_adjusted: share.describe('over all looks, and by Holm over all pairs; separated where it is at most alpha'),
  better: z.string().nullable().describe('the better one; null: not separated by its own test'),
})

export const rank = z.object({
  schema_version: z.literal(1),
  created_at: z.iso.datetime(),
  of: z.enum(['skills', 'engines', 'results']).describe('results: runs of another tool, read with --from'),
  suite: z.string().describe('path of the suite, or of the results'),
  skill: z.string().nullable().describe('the skill that all engines have; null: skills are ranked, or results'),
  judge: engineChoice.nullable(),
  alpha: share,
  detect: share.describe('the lead that the race is planned to find, from 0 to 1'),
  power: share
    .nullable()
    .describe('the planned chance to name a winner that leads by it; null: the number of runs was given'),
  cases: count.describe('cases that count'),
  max_blocks: z.int().positive().describe('most runs per case and contender'),
  blocks: count.describe('blocks at the last look'),
  status: z
    .enum(['winner', 'close', 'max_runs', 'open'])
    .describe('close: those left differ by less than detect; open: runs are missing'),
  complete: z.boolean().describe('false: the race has not ended, so its numbers are preliminary'),
  incomplete_reason: z.string().nullable(),
  winner: z.string().nullable().describe('only a contender that is better than every other'),
  sentence: z.string(),
  contenders: z.array(rankedContender).describe('best first'),
  pairs: z.array(rankedPair),
  looks: z.array(z.object(look)),
  runs: z.object({
    done: count,
    grid: count.describe('runs if every contender had all of max_blocks'),
  }),
  cost: z.object({ agent_usd: usd, judge_usd: usd, unknown_runs: count.describe('runs whose cost is not known') }),
  stop: stop.nullable().describe('the limit that ended it; null: none'),
  warnings: z.array(z.string()),
})

export type Rank = z.infer<typeof rank>
export type RankedContender = z.infer<typeof rankedContender>
export type RankedPair = z.infer<typeof rankedPair>

/** A look at the race has taken place. */
export const rankLook = z.object({
  type: z.literal('rank_look'),
  ...look,
  next: z.int().positive().nullable().describe('blocks at the next look; null: there is none'),
  status: rank.shape.status,
})
