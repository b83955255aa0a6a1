/** P-values of many comparisons at once: adjusted by Holm, and by Benjamini and Hochberg. */

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
