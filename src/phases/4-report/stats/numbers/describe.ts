/** Mean, sample standard deviation, smallest and largest of some numbers; the type of an interval. */
import { max, min } from 'simple-statistics'
import type { SummaryStats } from '../../../../../schemas/benchmark.ts'
import { sampleMean, sampleVariance } from './moments.ts'
import { round } from './round.ts'

/** Decimals, as in the reference tool. */
const digits = 4

/** stddev divides by n−1 and is 0 for one value; all rounded to 4 decimals. null: no values. */
export function summarizeValues(values: readonly number[]): SummaryStats | null {
  if (values.length === 0) return null
  const ordered = [...values].sort((a, b) => a - b)
  const [smallest, largest] = [min(ordered), max(ordered)]
  // the mean of equal numbers may differ from them in the last bit
  const mean = Math.min(largest, Math.max(smallest, sampleMean(ordered)))
  const stddev = Math.sqrt(sampleVariance(ordered))
  return {
    mean: round(mean, digits),
    stddev: round(stddev, digits),
    min: round(smallest, digits),
    max: round(largest, digits),
  }
}

export interface Interval {
  low: number
  high: number
}

/** Moves both ends into the possible range of the quantity. */
export function clipInterval({ low, high }: Interval, [least, most]: readonly [number, number]): Interval {
  return { low: Math.min(most, Math.max(least, low)), high: Math.min(most, Math.max(least, high)) }
}
