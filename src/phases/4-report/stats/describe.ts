/** Mean, sample standard deviation, smallest and largest of some numbers. */
import type { SummaryStats } from '../../../../schemas/benchmark.ts'
import { round } from './round.ts'

/** Decimals kept, as in the reference tool. */
const digits = 4

/** stddev divides by n−1 and is 0 for one value; all rounded to 4 decimals. Null for no values. */
export function describe(values: readonly number[]): SummaryStats | null {
  if (values.length === 0) return null
  const ordered = [...values].sort((a, b) => a - b)
  const min = ordered[0] ?? 0
  const max = ordered.at(-1) ?? 0
  const mean = Math.min(max, Math.max(min, sum(ordered) / ordered.length))
  const squares = sum(ordered.map((value) => (value - mean) ** 2))
  const stddev = ordered.length > 1 && min !== max ? Math.sqrt(squares / (ordered.length - 1)) : 0
  return { mean: round(mean, digits), stddev: round(stddev, digits), min: round(min, digits), max: round(max, digits) }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
