/** The limits that a user sets on a command, what is spent of its budgets, and the sentence that names the limit that stopped it. */
import type { Stop, StopKind } from '../../../schemas/limits.ts'
import { roundDollars } from '../../base/totals.ts'

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
  const shared = {
    kind,
    spent: spent === null ? null : roundDollars(spent),
    limit: null,
    deadline: null,
    runs_done: runs.done,
    runs_planned: runs.planned,
  }
  const of = `${runs.done} of ${runs.isMost ? 'at most ' : ''}${runs.planned} runs`
  const more = what === undefined ? '' : `; ${what}`
  switch (kind) {
    case 'budget': {
      const share = `${usdText(spent ?? 0)} of ${usdText(budget ?? 0)} spent`
      return { ...shared, limit: budget, reason: `stopped by ${budgetName}: ${of}; ${share}${more}` }
    }
    case 'budget_tokens': {
      const share = `${countText(spent ?? 0)} of ${amountText('tokens', budgetTokens ?? 0)} spent`
      return { ...shared, limit: budgetTokens, reason: `stopped by the budget of tokens: ${of}; ${share}${more}` }
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

/** What a run and its grading need, and what is left of the limit. */
export function needText(unit: BudgetUnit, { needed, left }: { needed: number; left: number }): string {
  return `the next run needs ${amountText(unit, needed)}, and ${amountText(unit, Math.max(0, left))} is left`
}

export type BudgetUnit = 'usd' | 'tokens'

export type BudgetAmounts = Readonly<Record<BudgetUnit, number>>

export const zeroAmounts: BudgetAmounts = { usd: 0, tokens: 0 }

export const budgetStopKinds = { usd: 'budget', tokens: 'budget_tokens' } as const satisfies Record<
  BudgetUnit,
  StopKind
>

/** The amounts to count: `costPerRun` (dollars) where a cost is not known. */
export function toBudgetAmounts(
  { usd, tokens }: { usd: number | null; tokens: number | null },
  { costPerRun }: Pick<Limits, 'costPerRun'>,
): BudgetAmounts {
  return { usd: usd ?? costPerRun ?? 0, tokens: tokens ?? 0 }
}

export function addAmounts(a: BudgetAmounts, b: BudgetAmounts): BudgetAmounts {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens }
}

/** "$0.0421", "12,000 tokens". */
export function amountText(unit: BudgetUnit, value: number): string {
  return unit === 'usd' ? usdText(value) : `${countText(value)} tokens`
}

function countText(amount: number): string {
  return Math.round(amount).toLocaleString('en-US')
}

/** $0.42; four decimals below ten cents. */
export function usdText(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`
}

/** Sums of dollars are not exact: ten runs at $0.10 must fit into $1. */
const rounding = 1 + 1e-9

/** What is spent, and what is reserved by name for work in progress. */
export class SharedBudgets {
  readonly units: readonly BudgetUnit[]
  readonly #limits: BudgetAmounts
  readonly #reserved = new Map<string, BudgetAmounts>()
  #spent = zeroAmounts

  constructor({ budget, budgetTokens }: Limits) {
    const limits = { usd: budget, tokens: budgetTokens }
    this.units = (['usd', 'tokens'] as const).filter((unit) => limits[unit] !== null)
    this.#limits = { usd: budget ?? Number.POSITIVE_INFINITY, tokens: budgetTokens ?? Number.POSITIVE_INFINITY }
  }

  spent(unit: BudgetUnit): number {
    return this.#spent[unit]
  }

  /** Neither spent nor reserved; infinite if unlimited. */
  left(unit: BudgetUnit): number {
    return this.#limits[unit] - this.#spent[unit] - this.#totalReserved(unit)
  }

  /** The kind of the first budget that this does not fit into; null: it fits. A used-up budget does not even fit 0. */
  findLacking(needed: BudgetAmounts): StopKind | null {
    const isLacking = (unit: BudgetUnit) => this.#spent[unit] >= this.#limits[unit] || this.#isAbove(unit, needed[unit])
    const unit = this.units.find(isLacking)
    return unit === undefined ? null : budgetStopKinds[unit]
  }

  /** The kind whose spent and reserved amounts exceed the limit; null: none. */
  findExceeded(): StopKind | null {
    const unit = this.units.find((one) => this.#isAbove(one, 0))
    return unit === undefined ? null : budgetStopKinds[unit]
  }

  reserve(name: string, amounts: BudgetAmounts): void {
    this.#reserved.set(name, amounts)
  }

  /** Ends a reservation and returns its amounts. */
  release(name: string): BudgetAmounts {
    const amounts = this.#reserved.get(name) ?? zeroAmounts
    this.#reserved.delete(name)
    return amounts
  }

  spend(amounts: BudgetAmounts): void {
    this.#spent = addAmounts(this.#spent, amounts)
  }

  #isAbove(unit: BudgetUnit, more: number): boolean {
    return this.#spent[unit] + this.#totalReserved(unit) + more > this.#limits[unit] * rounding
  }

  #totalReserved(unit: BudgetUnit): number {
    return [...this.#reserved.values()].reduce((sum, amounts) => sum + amounts[unit], 0)
  }
}
