/** The cost of a benchmark, as far as it is known. */
import type { CostSummary } from '../../../../schemas/benchmark.ts'
import type { Grading } from '../../../../schemas/grading.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import { sum } from '../../../base/totals.ts'
import { round } from '../stats/numbers/round.ts'
import { formatDollars, formatPlural } from '../text/format.ts'
import type { AggregateInput } from './aggregate_input.ts'

/** Every run that was started counts, failed ones too, because they were paid for. */
export function summarizeCost({ planned, results }: AggregateInput): CostSummary {
  const made = planned.flatMap((run) => results.get(run.run_id) ?? [])
  const judged = made.flatMap(({ grading }) => grading?.judge ?? [])
  const agentCosts = made.flatMap(({ record, timing }) => record?.cost?.usd ?? timing?.total_cost_usd ?? [])
  return {
    agent_usd: sumCosts(agentCosts),
    // If code decided everything nothing was paid; null means that no judge reported a cost.
    judge_usd:
      judged.length === 0 && made.some(({ record }) => record !== null)
        ? 0
        : sumCosts(judged.flatMap((judge) => judge.cost_usd ?? [])),
    ...userCost(made.flatMap(({ record }) => record?.conversation?.user ?? [])),
    ...againCost(made.flatMap(({ again }) => again ?? [])),
    unknown_runs: made.length - agentCosts.length,
    ...pricesUsed([...made.map(({ record }) => record?.cost?.prices), ...judged.map(({ prices }) => prices)]),
  }
}

function userCost(
  users: readonly NonNullable<NonNullable<RunRecord['conversation']>['user']>[],
): Pick<CostSummary, 'user_usd'> {
  return users.length === 0 ? {} : { user_usd: sumCosts(users.flatMap(({ cost_usd }) => cost_usd ?? [])) }
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
  return judged.length === 0 ? 0 : sumCosts(judged.flatMap(({ cost_usd }) => cost_usd ?? []))
}

/** Rounded to a millionth of a dollar; null: no cost is known. */
function sumCosts(costs: readonly number[]): number | null {
  return costs.length === 0 ? null : round(sum([...costs].sort((a, b) => a - b)), 6)
}

/** "agent $0.19, judge $0.56, total $0.75". Gradings of `--again` are not in the total. */
export function costText({ agent_usd, judge_usd, user_usd, again_usd, unknown_runs, prices }: CostSummary): string {
  const parts = [agent_usd, judge_usd, user_usd ?? 0]
  const known = parts.reduce<number>((sum, usd) => sum + (usd ?? 0), 0)
  const isWhole = unknown_runs === 0 && parts.every((usd) => usd !== null) && user_usd !== null
  const total = known === 0 ? '' : `, total ${isWhole ? '' : 'at least '}${formatDollars(known)}`
  const agent = agent_usd === null ? 'agent not reported' : `agent ${formatDollars(agent_usd)}`
  const judge = judge_usd === null ? 'judge not reported' : `judge ${formatDollars(judge_usd)}`
  const unknown =
    unknown_runs === 0 || agent_usd === null ? '' : ` (${formatPlural(unknown_runs, 'run')} without a reported cost)`
  const again =
    again_usd === undefined ? '' : `; graded again ${again_usd === null ? 'not reported' : formatDollars(again_usd)}`
  const own = prices === undefined ? '' : ` (by the prices of ${prices.join(', ')})`
  const user = user_usd === undefined ? '' : `, user ${user_usd === null ? 'not reported' : formatDollars(user_usd)}`
  return `${agent}${unknown}, ${judge}${user}${total}${again}${own}`
}
