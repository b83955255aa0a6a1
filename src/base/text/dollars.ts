/** Rounds sums of dollars to a billionth, without the noise of binary fractions. */

export function roundDollars(usd: number): number {
  return Math.round(usd * 1e9) / 1e9
}
