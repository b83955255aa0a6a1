/** What an interval is everywhere: two ends, and what may be clipped. */

export interface Interval {
  low: number
  high: number
}

/** Both ends moved into the range that the quantity can have. */
export function clip({ low, high }: Interval, [least, most]: readonly [number, number]): Interval {
  return { low: Math.min(most, Math.max(least, low)), high: Math.min(most, Math.max(least, high)) }
}
