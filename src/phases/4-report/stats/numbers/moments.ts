/** Mean and sample variance of plain numbers, unrounded, also where there are too few values for the library. */
import { sampleVariance as libraryVariance, mean } from 'simple-statistics'

export function sampleMean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : mean([...values])
}

/** Divides by n−1; 0 for one value, and exactly 0 if all values are the same. */
export function sampleVariance(values: readonly number[]): number {
  if (values.length < 2 || values.every((value) => value === values[0])) return 0
  return libraryVariance([...values])
}
