/** The cost of a benchmark, as far as it is known. */
import type { CostSummary } from '../../../../schemas/benchmark.ts'
import type { Grading } from '../../../../schemas/grading.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import { round } from '../stats/numbers/round.ts'
import type { AggregateInput } from './aggregate_input.ts'

/** Every run that was started counts, failed ones too, because they were paid for. */
export function summarizeCost({ planned, results }: AggregateInput): CostSummary {
  const made = planned.flatMap((run) => results.get(run.run_id) ?? [])
  const judged = made.flatMap(({ grading }) => grading?.judge ?? [])
  const agentCosts = made.flatMap(({ record, timing }) => record?.cost?.usd ?? timing?.total_cost_usd ?? [])
  return {
    agent_usd: sum(agentCosts),
    // If code decided everything nothing was paid; null means that no judge reported a cost.
    judge_usd:
      judged.length === 0 && made.some(({ record }) => record !== null)
        ? 0
        : sum(judged.flatMap((judge) => judge.cost_usd ?? [])),
    ...userCost(made.flatMap(({ record }) => record?.conversation?.user ?? [])),
    ...againCost(made.flatMap(({ again }) => again ?? [])),
    unknown_runs: made.length - agentCosts.length,
    ...pricesUsed([...made.map(({ record }) => record?.cost?.prices), ...judged.map(({ prices }) => prices)]),
  }
}

function userCost(
  users: readonly NonNullable<NonNullable<RunRecord['conversation']>['user']>[],
): Pick<CostSummary, 'user_usd'> {
  return users.length === 0 ? {} : { user_usd: sum(users.flatMap(({ cost_usd }) => cost_usd ?? [])) }
}

function pricesUsed(files: readonly (string | undefined)[]): Pick<CostSummary, 'prices'> {
  const prices = [...new Set(files.flatMap((file) => file ?? []))].sort()
  return prices.length === 0 ? {} : { prices }
}

/** Separate, because a further benchmark does not pay it. */
function againCost(again: readonly Grading[]): Pick<CostSummary, 'again_usd'> {
  if (again.length === 0) return {}
  return { again_usd: judgeCost(again.flatMap(({ judge }) => judge ?? [])) }
}

/** The sum over judges that report a cost. 0: no judge was asked. null: none reports a cost. */
export function judgeCost(judged: readonly NonNullable<Grading['judge']>[]): number | null {
  return judged.length === 0 ? 0 : sum(judged.flatMap(({ cost_usd }) => cost_usd ?? []))
}

/** Rounded to a millionth of a dollar; null: no cost is known. */
function sum(costs: readonly number[]): number | null {
  if (costs.length === 0) return null
  const ordered = [...costs].sort((a, b) => a - b)
  return round(
    ordered.reduce((total, usd) => total + usd, 0),
    6,
  )
}
