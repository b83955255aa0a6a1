/** The plan of a blind comparison: which of two outputs is better, case by case? */
import { UserError } from '../../../base/errors/error.ts'
import { sha256 } from '../../../base/json/json.ts'
import { compare, planCompare } from '../../../flows/compare/compare.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { formatDollars } from '../../../phases/4-report/text/format.ts'
import { benchmarkUris } from '../results/benchmark_result.ts'
import type { McpSession } from '../session.ts'
import { engineText, isFree, quoteValue } from './plan_text.ts'
import { type PlannedWork, planningContext } from './planned_work.ts'
import { refuseReach } from './refuse_reach.ts'

export interface CompareBudget {
  usd: number | null
  /** Dollars to count for a pair whose cost is not reported. */
  costPerRun: number | null
}

/** Throws UserError. `compare` has no budget of its own, so the server counts. */
export async function planCompareWork(
  words: readonly string[],
  budget: CompareBudget,
  session: McpSession,
): Promise<PlannedWork> {
  const { usd } = budget
  if (usd === null)
    throw new UserError(
      'a plan needs a budget',
      'pass budget_usd, with cost_per_run_usd where the cost of a pair is not known',
    )
  const { request, prices } = await session.requests.compare(words)
  await refuseReach({ places: [request.folder, request.other], engines: [request.judge] }, session)
  const { confirm: _, ...context } = planningContext(session.env, prices) // a judge that nobody named is refused
  const planned = await planCompare(request, context)
  const { pairing, judge, done } = planned
  await refuseReach({ places: [], engines: judge.command === undefined ? [] : [`${judge.name}:`] }, session)
  const cases = new Set(pairing.pairs.map(({ eval_id }) => eval_id)).size
  const each =
    budget.costPerRun === null ? '' : `, counting ${formatDollars(budget.costPerRun)} for a pair of unknown cost`
  const pairs = pairing.pairs.map(({ folder, number, A, B }) => [folder, number, A.run, B.run])
  return {
    kind: 'compare',
    lines: [
      `Blind comparison of ${quoteValue(pairing.a)} and ${quoteValue(pairing.b)} in ${quoteValue(pairing.output)}`,
      `Pairs: ${pairing.pairs.length}, at most ${pairing.pairs.length * 2 + cases} judge calls`,
      `Judge: ${engineText(judge)}`,
      `Budget: no pair starts after ${formatDollars(usd)}${each}.`,
    ],
    content: [sha256(JSON.stringify(pairs)), judge, budget],
    estimate: { usd: null, seconds: null, text: 'unknown: comparisons are not estimated' },
    runs: { agent_runs: 0, judge_calls: (pairing.pairs.length - done) * 2 + cases },
    upperUsd: isFree([judge]) ? 0 : usd,
    needsPerson: budget.costPerRun !== null,
    assumedUsd: budget.costPerRun ?? (isFree([judge]) ? 0 : usd), // without an assumption, no pair follows one of unknown cost
    ...{ refusals: [], commands: [], prices, limits: undefined, folder: pairing.output },
    async run(context, { spent }) {
      const result = await compare(request, withinBudget(context, usd, spent))
      const { summary, missing, folder } = result
      const { wins, losses, ties, win_rate, p_value, cost_usd } = summary
      return {
        status: missing > 0 ? 'incomplete' : 'done',
        sentence: summary.sentence,
        result: { wins, losses, ties, win_rate, p_value, cost_usd, missing, ...benchmarkUris(folder, session.cwd) },
      }
    },
  }
}

/** Starts no further pair when the budget is spent, also by earlier starts of the plan. */
function withinBudget(context: FlowContext, usd: number, spent: () => { usd: number }): FlowContext {
  const stop = new UserError('the budget is spent', 'plan again with a larger budget_usd')
  if (spent().usd >= usd) throw stop
  const over = new AbortController()
  return {
    ...context,
    drain: AbortSignal.any([context.drain, over.signal]),
    emit(event) {
      context.emit(event)
      if (spent().usd >= usd) over.abort(stop)
    },
  }
}
