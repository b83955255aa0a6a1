/** Holm's adjustment: p-values that stay valid for many comparisons at once. */

/** In the given order; each at least as large as before, at most 1. */
export function holm(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).sort((a, b) => (values[a] ?? 1) - (values[b] ?? 1))
  const adjusted = Array<number>(values.length).fill(1)
  let least = 0
  for (const [rank, at] of order.entries()) {
    least = Math.max(least, Math.min(1, (values.length - rank) * (values[at] ?? 1)))
    adjusted[at] = least
  }
  return adjusted
}
