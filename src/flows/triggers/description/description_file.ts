/** Builds description.json from a search. Pure. */
import type { Description, DescriptionScore } from '../../../../schemas/description.ts'
import type { EngineChoice } from '../../../../schemas/plan.ts'
import { roundDollars } from '../../../base/text/dollars.ts'
import { type CallUsage, sumCallUsage, toAskedJudge } from '../../../engines/ask/cost_meter.ts'
import { normalizeDescription } from '../../../phases/5-improve/description/edit.ts'
import type { QuerySplit } from '../../../phases/5-improve/description/split.ts'
import type { PreparedTriggers } from '../prepare_triggers.ts'
import type { TriedDescription } from './propose_description.ts'
import { meanBehaveRate, type SearchEnd } from './search.ts'

type Results = NonNullable<TriedDescription['train']>

interface DescriptionInput {
  request: { seed: number; alpha: number; testRuns: number }
  prepared: PreparedTriggers
  proposer: EngineChoice
  spent: readonly CallUsage[]
  split: QuerySplit
  end: SearchEnd<Results[number]>
  applied: boolean
  createdAt: Date
}

export function buildDescription({
  request,
  prepared,
  proposer,
  spent,
  split,
  end,
  applied,
  createdAt,
}: DescriptionInput): Description {
  const { plan, set } = prepared
  const { best, test, attempts } = end
  const measured = attempts.flatMap(({ train }) => train ?? [])
  const costs = [...measured, ...(test === null ? [] : [...test.before, ...test.after])].flatMap(({ query_runs }) =>
    query_runs.map(({ cost }) => cost?.usd ?? null),
  )
  const known = costs.flatMap((usd) => usd ?? [])
  return {
    schema_version: 1,
    created_at: createdAt.toISOString(),
    skill_name: plan.skill.name,
    set: { path: set.path, sha256: set.sha256 },
    engine: plan.options.engine,
    proposer: toAskedJudge(proposer, sumCallUsage(spent)),
    seed: request.seed,
    split,
    attempts: attempts.map(({ round, description, train, refused }) => {
      return { round, description, train: train && scoreDescription(train, `train-${round}`), refused }
    }),
    original: normalizeDescription(plan.skill.description),
    best: best.description,
    best_round: best.round,
    test: test && {
      before: scoreDescription(test.before, 'test/before'),
      after: scoreDescription(test.after, 'test/after'),
      difference: test.difference,
      p_value: test.pValue,
      alpha: request.alpha,
      queries: split.test.length,
      runs: request.testRuns,
    },
    accepted: end.accepted,
    reason: end.reason,
    applied,
    cost_usd: known.length < costs.length ? null : roundDollars(known.reduce((sum, usd) => sum + usd, 0)),
  }
}

function scoreDescription(results: Results, folder: string): DescriptionScore {
  const rate = (label: boolean) => {
    const rates = results.flatMap((one) => (one.should_trigger === label ? (one.trigger_rate ?? []) : []))
    return rates.length === 0 ? null : rates.reduce((sum, one) => sum + one, 0) / rates.length
  }
  return { behaves: Math.max(0, meanBehaveRate(results)), recall: rate(true), false_trigger_rate: rate(false), folder }
}
