/** Estimates the cost of drafting from the length of its prompts, and whether a budget allows one more answer. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { UserPrices } from '../../../schemas/prices.ts'
import { UserError } from '../../base/errors/error.ts'
import type { CallUsage } from '../../engines/ask/cost_meter.ts'
import { estimateCost } from '../../engines/models/cost.ts'
import { applyUserPrices } from '../../engines/models/user_prices.ts'
import { findEngine } from '../../engines/table.ts'
import { amountText, type BudgetUnit, budgetStopKinds, type Limits } from '../limits/limits.ts'

/** For English prose and code; a rough count without a tokenizer. */
const charactersPerToken = 4
/** A prompt, an input file, expectations and checks, as JSON. */
const tokensPerCase = 600

export interface DraftEstimate {
  tokens: number
  /** null: the model is not known beforehand, or has no known price. */
  usd: number | null
}

/** Assumes no repeated answers and no tokens that an agent CLI adds. */
export async function estimateDrafts(
  { name, model }: EngineChoice,
  { cases, answers, characters }: { cases: number; answers: number; characters: number },
  prices?: UserPrices,
): Promise<DraftEstimate> {
  const usage = {
    input_tokens: answers * Math.ceil(characters / charactersPerToken),
    output_tokens: cases * tokensPerCase,
    ...{ cache_read_tokens: 0, cache_write_tokens: 0 },
  }
  // auto found no engine: the plan is still shown
  const priced = name === 'auto' ? undefined : (await findEngine(name).reports?.(model))?.priced
  const cost = priced && (await estimateCost(usage, priced.model, priced.provider))
  const known = { usage, cost: cost ?? null, model: priced?.model ?? null, provider: priced?.provider ?? null }
  const own = prices === undefined ? known : applyUserPrices(known, { engine: name, asked: model }, prices)
  return { tokens: usage.input_tokens + usage.output_tokens, usd: own.cost?.usd ?? null }
}

const limitFields = { usd: 'budget', tokens: 'budgetTokens' } as const satisfies Record<BudgetUnit, keyof Limits>
const units = ['usd', 'tokens'] as const

/** Throws UserError if a budget is too small for the request. */
export function refuseOverBudget(estimate: DraftEstimate, limits: Limits): void {
  for (const unit of units) {
    const [limit, needed] = [limits[limitFields[unit]], estimate[unit]]
    if (limit === null || needed === null || needed <= limit) continue
    throw new UserError(
      `--${budgetStopKinds[unit].replace('_', '-')}: the cases take about ${amountText(unit, needed)}, more than ${amountText(unit, limit)}`,
      'raise it, or lower --cases',
    )
  }
}

/** Why no further answer fits, if one like the most expensive so far could exceed a limit; null: one more fits. */
export function explainOverBudget(answers: readonly CallUsage[], limits: Limits): string | null {
  for (const unit of units) {
    const limit = limits[limitFields[unit]]
    if (limit === null || answers.length === 0) continue
    const paid = answers.map((one) => paidAmount(one, unit, limits))
    if (paid.includes(null))
      return `stopped because the ${unit === 'usd' ? 'cost' : 'token count'} of a question was not reported`
    const known = paid.map((one) => one ?? 0)
    const spent = known.reduce((sum, one) => sum + one, 0)
    const dearest = Math.max(...known)
    if (spent + dearest <= limit * (1 + 1e-9)) continue
    return `stopped by the ${budgetStopKinds[unit].replace('_', ' of ')}: ${amountText(unit, spent)} of ${amountText(unit, limit)} spent, and an answer took up to ${amountText(unit, dearest)}`
  }
  return null
}

function paidAmount({ calls, costUsd, tokens }: CallUsage, unit: BudgetUnit, { costPerRun }: Limits): number | null {
  if (unit === 'tokens') return tokens
  return costUsd ?? (costPerRun === null ? null : costPerRun * calls)
}
