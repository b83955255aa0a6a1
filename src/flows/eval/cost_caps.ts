/** The cost caps of an Atomic Agent's model.md over an eval of it: what is left of one is a budget, and how near they are is told. */
import type { CostCap } from '../../../schemas/golden.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { readAgentCosts } from '../../store/agent_costs.ts'
import { readRun } from '../../store/store.ts'
import { paidBefore } from '../limited.ts'
import type { Limits } from '../limits.ts'
import { nothing, Purses } from '../purses.ts'
import type { PreparedEval } from './request.ts'

export interface Spendable {
  limits: Limits
  purses: Purses
}

/** The asked limits, made narrower where a cap leaves less; `settle` takes what was spent from the purses of the command. */
export async function withinCaps(
  { root, guardrails }: Pick<PreparedEval, 'root' | 'guardrails'>,
  asked: Spendable,
  { plan, folder, now }: { plan: Plan; folder: string; now: Date },
): Promise<Spendable & { settle: () => void }> {
  const costs = guardrails === null ? null : readAgentCosts(root, now)
  const left = (cap: CostCap) => Math.max(0, cap.usd - (costs?.[cap.period].usd ?? 0))
  const [cap] = stopping(guardrails?.caps ?? []).sort((a, b) => left(a) - left(b))
  if (cap === undefined || costs === null) return { ...asked, settle: () => {} }
  const made = plan.runs.map(async ({ run_id }) => ({ run_id, stored: await readRun(folder, run_id) }))
  // earlier starts of this eval are counted once more by the purse: what they took is on top of what is left
  const paid = (await paidBefore(folder, await Promise.all(made))).reduce(
    (sum, { usd }) => sum + (usd ?? asked.limits.costPerRun ?? 0),
    0,
  )
  const budget = left(cap) + paid
  if (budget >= asked.purses.left('usd')) return { ...asked, settle: () => {} }
  const tokens = asked.purses.left('tokens')
  const before = costs[cap.period].usd
  const budgetName = `the ${capName(cap)} in model.md${before > 0 ? `, of which ${dollars(before)} was spent before` : ''}`
  const limits = { ...asked.limits, budget, budgetName }
  const purses = new Purses({ ...limits, budgetTokens: Number.isFinite(tokens) ? tokens : null })
  const settle = () => {
    asked.purses.settle(nothing, { usd: purses.spent('usd'), tokens: purses.spent('tokens') })
  }
  return { limits, purses, settle }
}

/** As if a cap were a budget, to find out whether it can be kept. */
export function capAsLimit({ guardrails }: Pick<PreparedEval, 'guardrails'>, limits: Limits): Limits {
  const [cap] = stopping(guardrails?.caps ?? [])
  return cap === undefined || limits.budget !== null
    ? limits
    : { ...limits, budget: cap.usd, budgetName: `the ${capName(cap)} in model.md` }
}

/** What is to be told once it has ended: each cap that is reached, or nearer than it warns of. */
export function capNotes({ root, guardrails }: Pick<PreparedEval, 'root' | 'guardrails'>, now: Date): string[] {
  if (guardrails === null) return []
  const costs = readAgentCosts(root, now)
  return guardrails.caps.flatMap((cap) => {
    const { usd, unknown } = costs[cap.period]
    const share = usd / cap.usd
    const isTold = share >= 1 || guardrails.warn_at.some((at) => share >= at)
    const blind = unknown === 0 ? '' : `; what ${unknown} more lines of its logs cost is not known`
    const went = share >= 1 && cap.action === 'alert' ? '; its action is alert, so tests go on' : ''
    const line = `model.md: ${dollars(usd)} of the ${capName(cap)} is spent (${Math.floor(share * 100)}%)${went}${blind}`
    return isTold || unknown > 0 ? [line] : []
  })
}

/** For the plan. */
export function capWords(guardrails: PreparedEval['guardrails']): string[] {
  return (guardrails?.caps ?? []).map((cap) => `costs: the ${capName(cap)} in model.md (${cap.action})`)
}

/** Another model would be another agent: whose cap asks for the fallback is stopped too. */
function stopping(caps: readonly CostCap[]): CostCap[] {
  return caps.filter(({ action }) => action !== 'alert')
}

function capName({ period, usd }: CostCap): string {
  return `${period === 'day' ? 'daily' : 'monthly'} cap of ${dollars(usd)}`
}

function dollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`
}
