/** A budget: the limit of one thing (dollars, tokens), its use so far, and the reservations of work in progress. Pure. */

export interface Budget {
  readonly limit: number
  readonly spent: number
  /** Reserved for work in progress. */
  readonly reserved: number
}

export function openBudget(limit: number, spent = 0): Budget {
  return { limit, spent, reserved: 0 }
}

/**
 * Reserves `estimate`; null when it does not fit next to what is spent and reserved. A used-up budget grants nothing,
 * not even an estimate of 0. While no actual amount exceeds its estimate, `spent` never exceeds `limit`; otherwise it
 * exceeds it by at most what the work in progress took beyond its estimates.
 */
export function reserve(budget: Budget, estimate: number): Budget | null {
  if (!(estimate >= 0)) throw new RangeError(`estimate ${estimate}`)
  if (budget.spent >= budget.limit) return null
  const reserved = budget.reserved + estimate
  return budget.spent + reserved <= budget.limit + rounding(budget) ? { ...budget, reserved } : null
}

/** Spends `actual` and releases the reserved `estimate`. */
export function settle(budget: Budget, estimate: number, actual: number): Budget {
  if (!(estimate >= 0 && actual >= 0)) throw new RangeError(`settle ${estimate}, ${actual}`)
  const reserved = budget.reserved - estimate
  return { ...budget, reserved: reserved > rounding(budget) ? reserved : 0, spent: budget.spent + actual }
}

/** Sums of dollars are not exact: ten runs at $0.10 must fit into $1. */
function rounding({ limit }: Budget): number {
  return limit * 1e-9
}
