/** Groups, counts and sums of values. */

/** In the order of each group's first member. */
export function toGroups<T, K>(values: Iterable<T>, keyOf: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

export function countEach<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** The values that are not in `others`; of repeated ones the surplus. */
export function subtractEach<T>(values: readonly T[], others: Iterable<T>): T[] {
  const left = countEach(others)
  return values.filter((value) => {
    const count = left.get(value) ?? 0
    left.set(value, count - 1)
    return count <= 0
  })
}

/** To a billionth of a dollar, without the noise of binary fractions. */
export function roundDollars(usd: number): number {
  return Math.round(usd * 1e9) / 1e9
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, one) => total + one, 0)
}

/** null: there are none. */
export function meanOrNull(amounts: readonly number[]): number | null {
  return amounts.length === 0 ? null : sum(amounts) / amounts.length
}

/** null: one is not known. */
export function sumKnown(amounts: readonly (number | null)[]): number | null {
  return amounts.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0)
}
