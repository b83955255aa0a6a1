/** What drafting will take, by the length of its questions; and whether a budget allows one more answer, by what those before took. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { UserError } from '../../base/error.ts'
import { estimateCost } from '../../engines/cost.ts'
import { engineNamed } from '../../engines/table.ts'
import type { Spent } from '../../phases/3-judge/meter.ts'
import type { Limits } from '../limits.ts'
import { amountText, kinds, type Money } from '../purses.ts'

/** Of English prose and code; no tokenizer is asked. */
const charactersPerToken = 4
/** A prompt, an input file, expectations and checks, as JSON. */
const tokensPerCase = 600

export interface DraftEstimate {
  tokens: number
  /** null: the model is not known beforehand, or has no known price. */
  usd: number | null
}

/** No answer asked for again, nothing that an agent CLI adds of its own. */
export async function estimateDrafts(
  { name, model }: EngineChoice,
  { cases, answers, characters }: { cases: number; answers: number; characters: number },
): Promise<DraftEstimate> {
  const usage = {
    input_tokens: answers * Math.ceil(characters / charactersPerToken),
    output_tokens: cases * tokensPerCase,
    ...{ cache_read_tokens: 0, cache_write_tokens: 0 },
  }
  // none found by itself: the plan is told all the same
  const priced = name === 'auto' ? undefined : (await engineNamed(name).reports?.(model))?.priced
  const cost = priced === undefined ? null : await estimateCost(usage, priced.model, priced.provider)
  return { tokens: usage.input_tokens + usage.output_tokens, usd: cost?.usd ?? null }
}

const limitOf = { usd: 'budget', tokens: 'budgetTokens' } as const satisfies Record<Money, keyof Limits>
const units = ['usd', 'tokens'] as const

/** Throws UserError where a budget would not even reach for what is asked for. */
export function refuseTooDear(estimate: DraftEstimate, limits: Limits): void {
  for (const unit of units) {
    const [limit, needed] = [limits[limitOf[unit]], estimate[unit]]
    if (limit === null || needed === null || needed <= limit) continue
    throw new UserError(
      `--${kinds[unit].replace('_', '-')}: the cases take about ${amountText(unit, needed)}, more than ${amountText(unit, limit)}`,
      'give more, or have fewer cases drafted',
    )
  }
}

/** Why no further answer may be asked for, where another like the dearest so far could go beyond a limit; null: it may. */
export function overBudget(answers: readonly Spent[], limits: Limits): string | null {
  for (const unit of units) {
    const limit = limits[limitOf[unit]]
    if (limit === null || answers.length === 0) continue
    const paid = answers.map((one) => paidFor(one, unit, limits))
    if (paid.includes(null))
      return `stopped because what a question took in ${unit === 'usd' ? 'dollars' : unit} was not reported`
    const known = paid.map((one) => one ?? 0)
    const spent = known.reduce((sum, one) => sum + one, 0)
    const dearest = Math.max(...known)
    if (spent + dearest <= limit * (1 + 1e-9)) continue
    return `stopped by the ${kinds[unit].replace('_', ' of ')}: ${amountText(unit, spent)} of ${amountText(unit, limit)} spent, and an answer took up to ${amountText(unit, dearest)}`
  }
  return null
}

function paidFor({ calls, costUsd, tokens }: Spent, unit: Money, { costPerRun }: Limits): number | null {
  if (unit === 'tokens') return tokens
  return costUsd ?? (costPerRun === null ? null : costPerRun * calls)
}
