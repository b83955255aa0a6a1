/** Formats a difference of pass rates and its interval, the same in the sentence, in a diff and on the page. */
import type { ScopeDifference } from '../../../../schemas/benchmark_statistics.ts'
import { formatPointRange, formatRates, formatWholePoints } from './format.ts'

/** "+62": the difference of the rates as they are shown; without rates the rounded mean. */
export function formatDifference({
  mean,
  candidate_mean: candidate,
  baseline_mean: baseline,
}: ScopeDifference): string {
  if (candidate === undefined || baseline === undefined) return formatWholePoints(mean ?? 0)
  return formatRates(candidate, baseline).difference
}

/** "95% CI [39, 84]"; empty: there is no interval. */
export function formatInterval(
  { ci_low, ci_high }: Pick<ScopeDifference, 'ci_low' | 'ci_high'>,
  alpha: number,
): string {
  if (ci_low === null || ci_high === null) return ''
  return `${Number((100 * (1 - alpha)).toFixed(1))}% CI ${formatPointRange(ci_low, ci_high)}`
}
