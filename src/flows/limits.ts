/** The limits a user sets on a benchmark, and the sentence that says which one ended it. */

import type { Stop, StopKind } from '../../schemas/limits.ts'
import { roundDollars } from '../base/dollars.ts'

/** Null: not limited. */
export interface Limits {
  /** Dollars. */
  budget: number | null
  /** What it is called, where it is no flag of the command. */
  budgetName?: string
  budgetTokens: number | null
  /** No run goes on after it. */
  deadline: Date | null
  /** Milliseconds until then by a clock that nobody sets, of one that was given as a time from now; absent: by the machine's clock. */
  deadlineLeft?: () => number
  /** Dollars that a run or a grading counts whose cost is not reported. */
  costPerRun: number | null
}

export const noLimits: Limits = { budget: null, budgetTokens: null, deadline: null, costPerRun: null }

export function isLimited({ budget, budgetTokens, deadline }: Limits): boolean {
  return budget !== null || budgetTokens !== null || deadline !== null
}

/** Milliseconds until the deadline; null: there is none. */
export function leftUntilDeadline({ deadline, deadlineLeft }: Limits, now: Date): number | null {
  if (deadline === null) return null
  return deadlineLeft?.() ?? deadline.getTime() - now.getTime()
}

export interface StopFacts {
  kind: StopKind
  spent: number | null
  limits: Limits
  /** `isMost`: looks may end it before all planned runs are made. */
  runs: { done: number; planned: number; isMost?: boolean }
  /** Of unreported_cost: what was not reported; of a budget: what a first run needs. */
  what?: string
}

export function stopOf({ kind, spent, limits, runs, what }: StopFacts): Stop {
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
    case 'unreported_cost': {
      const fix = budget === null ? 'no budget of tokens can be kept' : 'give --cost-per-run to count such runs'
      return { ...shared, reason: `stopped because ${what ?? 'the cost of a run is not known'}: ${of}; ${fix}` }
    }
  }
}

/** What a run and its grading need beside `left`, and the limit at which they start. */
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
