/** The limits that a user sets on a benchmark, and the sentence that names the one that stopped it. */
import type { Stop, StopKind } from '../../../schemas/limits.ts'
import { roundDollars } from '../../base/text/dollars.ts'

/** null: unlimited. */
export interface Limits {
  /** Dollars. */
  budget: number | null
  /** Its name, if it does not come from a flag. */
  budgetName?: string
  budgetTokens: number | null
  /** No run continues after it. */
  deadline: Date | null
  /** Milliseconds left on the monotonic clock, for a deadline given as a duration; absent: use the system clock. */
  deadlineLeft?: () => number
  /** Dollars to count for a run or grading whose cost is not reported. */
  costPerRun: number | null
}

export const noLimits: Limits = { budget: null, budgetTokens: null, deadline: null, costPerRun: null }

export function isLimited({ budget, budgetTokens, deadline }: Limits): boolean {
  return budget !== null || budgetTokens !== null || deadline !== null
}

/** Milliseconds until the deadline; null: there is none. */
export function msUntilDeadline(
  { deadline, deadlineLeft }: Pick<Limits, 'deadline' | 'deadlineLeft'>,
  now: Date,
): number | null {
  if (deadline === null) return null
  return deadlineLeft?.() ?? deadline.getTime() - now.getTime()
}

export interface StopFacts {
  kind: StopKind
  spent: number | null
  limits: Limits
  /** `isMost`: adaptive stopping may end before all planned runs. */
  runs: { done: number; planned: number; isMost?: boolean }
  /** For unreported_cost: what was not reported; for a budget: what a first run needs; for max_wait: what everything waited for. */
  what?: string
}

export function buildStop({ kind, spent, limits, runs, what }: StopFacts): Stop {
  const { budget, budgetName = 'the budget', budgetTokens, deadline } = limits
  const of = `${runs.done} of ${runs.isMost ? 'at most ' : ''}${runs.planned} runs`
  const more = what === undefined ? '' : `; ${what}`
  const shared = {
    kind,
    spent: spent === null ? null : roundDollars(spent),
    limit: null,
    deadline: null,
    runs_done: runs.done,
    runs_planned: runs.planned,
  }
  switch (kind) {
    case 'budget': {
      const reason = `stopped by ${budgetName}: ${of}; ${usd(spent ?? 0)} of ${usd(budget ?? 0)} spent${more}`
      return { ...shared, limit: budget, reason }
    }
    case 'budget_tokens': {
      const reason = `stopped by the budget of tokens: ${of}; ${count(spent ?? 0)} of ${count(budgetTokens ?? 0)} tokens spent${more}`
      return { ...shared, limit: budgetTokens, reason }
    }
    case 'deadline': {
      const at = deadline?.toISOString() ?? null
      return { ...shared, deadline: at, reason: `stopped by the deadline ${at}: ${of}` }
    }
    case 'max_wait':
      return { ...shared, reason: `stopped: ${what ?? 'everything waited for too long'}; ${of}` }
    case 'unreported_cost': {
      const fix = budget === null ? "the budget of tokens can't be enforced" : 'give --cost-per-run to count such runs'
      return { ...shared, reason: `stopped because ${what ?? 'the cost of a run is not known'}: ${of}; ${fix}` }
    }
  }
}

/** What a run and its grading need compared with `left`, and the limit that would let them start. */
export function needText(unit: 'usd' | 'tokens', { needed, left }: { needed: number; left: number }, limits: Limits) {
  const { budget, budgetName, budgetTokens } = limits
  const lacks = needed - left
  if (unit === 'tokens') {
    const least = Math.ceil((budgetTokens ?? 0) + lacks)
    return `the next run needs ${count(needed)} tokens: give --budget-tokens ${least} or more`
  }
  const least = Math.ceil(((budget ?? 0) + lacks) * 100 - 1e-6) / 100
  const raise = budgetName === undefined ? `give --budget ${least} or more` : `it takes ${usd(least)} or more`
  return `the next run needs ${usd(needed)}: ${raise}`
}

/** $0.42; four decimals below ten cents. */
function usd(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`
}

function count(amount: number): string {
  return Math.round(amount).toLocaleString('en-US')
}
