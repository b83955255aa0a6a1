/** Benjamini and Hochberg's adjustment (1995): of all comparisons with an adjusted p-value ≤ q, at most the share q is false on average. */

/** In the given order; each at least as large as before, at most 1. */
export function benjaminiHochberg(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).sort((a, b) => (values[b] ?? 1) - (values[a] ?? 1))
  const adjusted = Array<number>(values.length).fill(1)
  let most = 1
  for (const [step, at] of order.entries()) {
    const rank = values.length - step
    most = Math.min(most, ((values[at] ?? 1) * values.length) / rank)
    adjusted[at] = most
  }
  return adjusted
}
