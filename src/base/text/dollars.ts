/** Sums of costs and other amounts. */

/** To a billionth of a dollar, without the noise of binary fractions. */
export function roundDollars(usd: number): number {
  return Math.round(usd * 1e9) / 1e9
}

export function sumKnown(amounts: readonly (number | null)[]): number | null {
  return amounts.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0)
}
