/** The purses of a command, one for each unit that is limited; several benchmarks in a row share them. */
import type { StopKind } from '../../schemas/limits.ts'
import { openPurse, type Purse, reserve, settle } from '../jobs/budget.ts'
import type { Limits } from './limits.ts'

export type Money = 'usd' | 'tokens'

export type Amounts = Readonly<Record<Money, number>>

export const nothing: Amounts = { usd: 0, tokens: 0 }

export const kinds = { usd: 'budget', tokens: 'budget_tokens' } as const satisfies Record<Money, StopKind>

/** What counts as spent: `costPerRun` (dollars) where a cost is not known. */
export function counted(
  { usd, tokens }: { usd: number | null; tokens: number | null },
  { costPerRun }: Pick<Limits, 'costPerRun'>,
): Amounts {
  return { usd: usd ?? costPerRun ?? 0, tokens: tokens ?? 0 }
}

/** "$0.0421", "12,000 tokens". */
export function amountText(unit: Money, value: number): string {
  return unit === 'usd'
    ? `$${value.toFixed(value < 0.1 ? 4 : 2)}`
    : `${Math.round(value).toLocaleString('en-US')} tokens`
}

export class Purses {
  readonly #purses: Record<Money, Purse | null>

  constructor({ budget, budgetTokens }: Limits) {
    this.#purses = {
      usd: budget === null ? null : openPurse(budget),
      tokens: budgetTokens === null ? null : openPurse(budgetTokens),
    }
  }

  /** The units that are limited. */
  get units(): Money[] {
    return (['usd', 'tokens'] as const).filter((unit) => this.#purses[unit] !== null)
  }

  spent(unit: Money): number {
    return this.#purses[unit]?.spent ?? 0
  }

  /** What is neither spent nor set aside; infinite where it is not limited. */
  left(unit: Money): number {
    const purse = this.#purses[unit]
    return purse === null ? Number.POSITIVE_INFINITY : purse.limit - purse.spent - purse.reserved
  }

  fits(estimate: Amounts): boolean {
    return this.units.every((unit) => {
      const purse = this.#purses[unit]
      return purse === null || reserve(purse, estimate[unit]) !== null
    })
  }

  /** Sets the amounts aside, all of them or none; the kind that does not fit, null when all do. */
  reserve(estimate: Amounts): StopKind | null {
    const after = { ...this.#purses }
    for (const unit of this.units) {
      const purse = after[unit]
      const next = purse && reserve(purse, estimate[unit])
      if (next === null) return kinds[unit]
      after[unit] = next
    }
    Object.assign(this.#purses, after)
    return null
  }

  /** Spends `actual` in place of what was set aside. */
  settle(estimate: Amounts, actual: Amounts): void {
    for (const unit of this.units) {
      const purse = this.#purses[unit]
      if (purse !== null) this.#purses[unit] = settle(purse, estimate[unit], actual[unit])
    }
  }

  /** The kind of which more is spent and set aside than the limit allows; null: none. */
  exceeded(): StopKind | null {
    const unit = this.units.find((one) => {
      const purse = this.#purses[one]
      return purse !== null && purse.spent + purse.reserved > purse.limit * (1 + 1e-9)
    })
    return unit === undefined ? null : kinds[unit]
  }
}
