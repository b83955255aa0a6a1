/** Mean and sample variance of plain numbers, unrounded. */

export function meanOf(values: readonly number[]): number {
  let total = 0
  for (const value of values) total += value
  return total / values.length
}

/** Divides by n−1; 0 for one value, and exactly 0 when all are the same. */
export function varianceOf(values: readonly number[]): number {
  if (values.length < 2 || values.every((value) => value === values[0])) return 0
  const mean = meanOf(values)
  let squares = 0
  for (const value of values) squares += (value - mean) ** 2
  return squares / (values.length - 1)
}
