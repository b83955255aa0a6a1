/** A purse: what may be spent of one thing (dollars, tokens), what is spent, and what is set aside for work in flight. Pure. */

export interface Purse {
  readonly limit: number
  readonly spent: number
  /** Set aside for what is in flight. */
  readonly reserved: number
}

export function openPurse(limit: number, spent = 0): Purse {
  return { limit, spent, reserved: 0 }
}

/**
 * Sets `estimate` aside; null when it does not fit beside what is spent and set aside already. A purse that is used up
 * grants nothing, not even what is estimated at 0. As long as no actual amount is above its estimate, `spent` never passes
 * `limit`; at most it passes it by what the work in flight took beyond its estimates.
 */
export function reserve(purse: Purse, estimate: number): Purse | null {
  if (!(estimate >= 0)) throw new RangeError(`estimate ${estimate}`)
  if (purse.spent >= purse.limit) return null
  const reserved = purse.reserved + estimate
  return purse.spent + reserved <= purse.limit + rounding(purse) ? { ...purse, reserved } : null
}

/** Spends `actual` in place of an amount that was set aside. */
export function settle(purse: Purse, estimate: number, actual: number): Purse {
  if (!(estimate >= 0 && actual >= 0)) throw new RangeError(`settle ${estimate}, ${actual}`)
  const reserved = purse.reserved - estimate
  return { ...purse, reserved: reserved > rounding(purse) ? reserved : 0, spent: purse.spent + actual }
}

/** Sums of dollars are not exact: ten runs at $0.10 fit into $1. */
function rounding({ limit }: Purse): number {
  return limit * 1e-9
}
