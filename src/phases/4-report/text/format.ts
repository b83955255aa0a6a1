/** Formats numbers and texts for people, the same in notes, tables and pages. */
import type { ScopeDifference } from '../../../../schemas/benchmark_statistics.ts'
import type { PageTrendPoint } from '../../../../schemas/page.ts'
import type { TrendPoint } from '../../../../schemas/trend.ts'
import { formatFixed, formatSigned } from '../stats/numbers/round.ts'

/** A rate as "85%". A rate just below 1 or just above 0 never reads as 100% or 0%. */
export function formatPercent(rate: number): string {
  const whole = hundredths(rate)
  if (whole === 100 && rate < 1) return '>99%'
  return whole === 0 && rate > 0 ? '<1%' : `${whole}%`
}

/** A difference of rates in whole percentage points, rounded as the delta strings are. */
export function hundredths(rate: number): number {
  return Math.round(Number(formatFixed(rate, 2)) * 100)
}

/** Two rates and their difference as they are shown together, each rounded for itself, as everywhere else: "83%", "17%", "+67". */
export function formatRates(
  candidate: number,
  baseline: number,
): { candidate: string; baseline: string; difference: string } {
  const difference = candidate - baseline
  const points = hundredths(difference)
  // a difference never reads as none if there is one
  const shown = points === 0 && difference !== 0 ? formatSigned(100 * difference, 1) : formatSigned(points, 0)
  return { candidate: formatPercent(candidate), baseline: formatPercent(baseline), difference: shown }
}

/** "[39, 84]", in points; with one decimal where a bound reads as 0 only by rounding. */
export function formatPointRange(low: number, high: number): string {
  const isHidden = (bound: number) => hundredths(bound) === 0 && Number(formatFixed(100 * bound, 1)) !== 0
  const digits = [low, high].some(isHidden) ? 1 : 0
  return `[${[low, high].map((bound) => formatFixed(100 * bound, digits)).join(', ')}]`
}

/** A difference of rates in whole points: "+62", "-4", "0"; `signed` false: "62". */
export function formatWholePoints(difference: number, signed = true): string {
  const points = hundredths(difference)
  return signed && points > 0 ? `+${points}` : String(points)
}

/** "+12 points", "-1 point". */
export function formatPoints(difference: number): string {
  const points = formatWholePoints(difference)
  return `${points} ${/^[+-]1$/.test(points) ? 'point' : 'points'}`
}

/** "3", "3–5". */
export function formatRange(low: number, high: number): string {
  return low === high ? formatCount(low) : `${formatCount(low)}–${formatCount(high)}`
}

/** "42.5 s", "12m 05s". */
export function formatSeconds(value: number): string {
  if (value < 600) return `${formatFixed(value, 1)} s`
  const whole = Math.round(value)
  return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`
}

/** "3,800". */
export function formatCount(value: number): string {
  const whole = formatFixed(value, 0)
  return whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** "$0.42"; four decimals below a cent. */
export function formatDollars(usd: number): string {
  return `$${formatFixed(usd, usd > 0 && usd < 0.01 ? 4 : 2)}`
}

/** A p-value: "0.003", "0.25", "< 0.001"; "0.0502", where 0.050 would not say on which side of 0.05 it is. */
export function formatProbability(p: number): string {
  const isNearAlpha = Math.round(1000 * p) === 50 && p !== 0.05
  return p < 0.001 ? '< 0.001' : formatFixed(p, isNearAlpha ? 4 : p < 0.1 ? 3 : 2)
}

/** "p = 0.12", "p < 0.001"; '' if it is not known. */
export function pText(p: number | null): string {
  if (p === null) return ''
  return p < 0.001 ? 'p < 0.001' : `p = ${formatProbability(p)}`
}

/** "1 run", "2 runs". */
export function formatPlural(number: number, word: string): string {
  return `${formatCount(number)} ${word}${number === 1 ? '' : 's'}`
}

/** "3 of 6 queries behave as they should". */
export function behavingText(passed: number, total: number): string {
  return `${passed} of ${total} ${total === 1 ? 'query behaves as it should' : 'queries behave as they should'}`
}

/** "with_skill" as "with skill". */
export function formatConfiguration(configuration: string): string {
  return configuration.replaceAll('_', ' ')
}

/** One line of at most `longest` characters. */
export function shortenText(text: string, longest = 140): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  const letters = [...flat]
  return letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : flat
}

export function toSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

/** "a, b and c". */
export function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

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

/** The rates as text; empty: not known. */
export function showTrendPoint({ candidate, baseline, lift }: TrendPoint): PageTrendPoint {
  const alone = (arm: TrendPoint['candidate']) => (arm === null ? '' : formatPercent(arm.mean))
  if (candidate === null || baseline === null || lift === null)
    return { candidate: alone(candidate), baseline: alone(baseline), points: '', interval: '' }
  const { difference, ...rates } = formatRates(candidate.mean, baseline.mean)
  const { ci_low: low, ci_high: high } = lift
  return { ...rates, points: difference, interval: low === null || high === null ? '' : formatPointRange(low, high) }
}
