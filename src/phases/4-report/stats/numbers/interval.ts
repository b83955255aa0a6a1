/** A numeric interval, and how to clip it. */

export interface Interval {
  low: number
  high: number
}

/** Moves both ends into the possible range of the quantity. */
export function clipInterval({ low, high }: Interval, [least, most]: readonly [number, number]): Interval {
  return { low: Math.min(most, Math.max(least, low)), high: Math.min(most, Math.max(least, high)) }
}
