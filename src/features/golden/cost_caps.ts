/** Applies the cost caps of an Atomic Agent's model.md to an eval: the rest of a cap is a budget, and its use is reported. */
import type { CostCap } from '../../../schemas/golden.ts'
import type { Plan } from '../../../schemas/plan.ts'
import type { PreparedEval } from '../../flows/eval/eval_request.ts'
import type { SpendingLimits } from '../../flows/format_steps.ts'
import { readPaidSpending } from '../../flows/limits/limited_bench.ts'
import { type Limits, SharedBudgets, usdText } from '../../flows/limits/limits.ts'
import { readRuns } from '../../store/store.ts'
import { readAgentCosts } from './costs.ts'

/** The requested limits, narrowed where a cap leaves less; `settle` subtracts past spending from the command's budgets. */
export async function applyCostCaps(
  { root, guardrails }: Pick<PreparedEval, 'root' | 'guardrails'>,
  asked: SpendingLimits,
  { plan, folder, now }: { plan: Plan; folder: string; now: Date },
): Promise<SpendingLimits & { settle: () => void }> {
  const costs = guardrails === null ? null : readAgentCosts(root, now)
  const left = (cap: CostCap) => Math.max(0, cap.usd - (costs?.[cap.period].usd ?? 0))
  const [cap] = filterStoppingCaps(guardrails?.caps ?? []).sort((a, b) => left(a) - left(b))
  if (cap === undefined || costs === null) return { ...asked, settle: () => {} }
  // the budget also counts earlier starts of this eval, so their cost is added to the remaining amount
  const paid = (await readPaidSpending(folder, await readRuns(folder, plan.runs))).reduce(
    (sum, { usd }) => sum + (usd ?? asked.limits.costPerRun ?? 0),
    0,
  )
  const budget = left(cap) + paid
  if (budget >= asked.budgets.left('usd')) return { ...asked, settle: () => {} }
  const tokens = asked.budgets.left('tokens')
  const before = costs[cap.period].usd
  const budgetName = `the ${capName(cap)} in model.md${before > 0 ? ` (${usdText(before)} of it spent before)` : ''}`
  const limits = { ...asked.limits, budget, budgetName }
  const budgets = new SharedBudgets({ ...limits, budgetTokens: Number.isFinite(tokens) ? tokens : null })
  const settle = () => asked.budgets.spend({ usd: budgets.spent('usd'), tokens: budgets.spent('tokens') })
  return { limits, budgets, settle }
}

/** Treats a cap as a budget, to find out whether it can be enforced. */
export function applyCapAsBudget({ guardrails }: Pick<PreparedEval, 'guardrails'>, limits: Limits): Limits {
  const [cap] = filterStoppingCaps(guardrails?.caps ?? [])
  return cap === undefined || limits.budget !== null
    ? limits
    : { ...limits, budget: cap.usd, budgetName: `the ${capName(cap)} in model.md` }
}

/** Messages for the end of an eval: each cap that is reached or above its warning level. */
export function describeCapUsage({ root, guardrails }: Pick<PreparedEval, 'root' | 'guardrails'>, now: Date): string[] {
  if (guardrails === null) return []
  const costs = readAgentCosts(root, now)
  return guardrails.caps.flatMap((cap) => {
    const { usd, unknown } = costs[cap.period]
    const share = usd / cap.usd
    const isTold = share >= 1 || guardrails.warn_at.some((at) => share >= at)
    const blind = unknown === 0 ? '' : `; the cost of ${unknown} more lines of its logs is unknown`
    const went = share >= 1 && cap.action === 'alert' ? '; its action is alert, so tests continue' : ''
    const line = `model.md: ${usdText(usd)} of the ${capName(cap)} is spent (${Math.floor(share * 100)}%)${went}${blind}`
    return isTold || unknown > 0 ? [line] : []
  })
}

export function describeCaps(guardrails: PreparedEval['guardrails']): string[] {
  return (guardrails?.caps ?? []).map((cap) => `costs: the ${capName(cap)} in model.md (${cap.action})`)
}

/** A fallback model would be a different agent, so a cap that asks for one also stops the eval. */
function filterStoppingCaps(caps: readonly CostCap[]): CostCap[] {
  return caps.filter(({ action }) => action !== 'alert')
}

function capName({ period, usd }: CostCap): string {
  return `${period === 'day' ? 'daily' : 'monthly'} cap of ${usdText(usd)}`
}
