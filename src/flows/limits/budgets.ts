/** The budgets of a command, one for each limited unit; several benchmarks in a row share them. */
import type { StopKind } from '../../../schemas/limits.ts'
import { type Budget, openBudget, reserve, settle } from '../../jobs/budget/budget.ts'
import type { Limits } from './limits.ts'

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

/** "$0.0421", "12,000 tokens". */
export function amountText(unit: BudgetUnit, value: number): string {
  return unit === 'usd'
    ? `$${value.toFixed(value < 0.1 ? 4 : 2)}`
    : `${Math.round(value).toLocaleString('en-US')} tokens`
}

export class SharedBudgets {
  readonly #budgets: Record<BudgetUnit, Budget | null>

  constructor({ budget, budgetTokens }: Limits) {
    this.#budgets = {
      usd: budget === null ? null : openBudget(budget),
      tokens: budgetTokens === null ? null : openBudget(budgetTokens),
    }
  }

  /** The limited units. */
  get units(): BudgetUnit[] {
    return (['usd', 'tokens'] as const).filter((unit) => this.#budgets[unit] !== null)
  }

  spent(unit: BudgetUnit): number {
    return this.#budgets[unit]?.spent ?? 0
  }

  /** Neither spent nor reserved; infinite if unlimited. */
  left(unit: BudgetUnit): number {
    const unitBudget = this.#budgets[unit]
    return unitBudget === null ? Number.POSITIVE_INFINITY : unitBudget.limit - unitBudget.spent - unitBudget.reserved
  }

  fits(estimate: BudgetAmounts): boolean {
    return this.units.every((unit) => {
      const unitBudget = this.#budgets[unit]
      return unitBudget === null || reserve(unitBudget, estimate[unit]) !== null
    })
  }

  /** Reserves all amounts or none; returns the kind that does not fit, null if all do. */
  reserve(estimate: BudgetAmounts): StopKind | null {
    const after = { ...this.#budgets }
    for (const unit of this.units) {
      const unitBudget = after[unit]
      const next = unitBudget && reserve(unitBudget, estimate[unit])
      if (next === null) return budgetStopKinds[unit]
      after[unit] = next
    }
    Object.assign(this.#budgets, after)
    return null
  }

  /** Replaces a reservation with the actual cost. */
  settle(estimate: BudgetAmounts, actual: BudgetAmounts): void {
    for (const unit of this.units) {
      const unitBudget = this.#budgets[unit]
      if (unitBudget !== null) this.#budgets[unit] = settle(unitBudget, estimate[unit], actual[unit])
    }
  }

  /** The kind whose spent and reserved amounts exceed the limit; null: none. */
  exceeded(): StopKind | null {
    const unit = this.units.find((one) => {
      const unitBudget = this.#budgets[one]
      return unitBudget !== null && unitBudget.spent + unitBudget.reserved > unitBudget.limit * (1 + 1e-9)
    })
    return unit === undefined ? null : budgetStopKinds[unit]
  }
}
