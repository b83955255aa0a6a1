/** Formats numbers and texts for people, in the words of the terminal. */

/** A rate just below 1 or just above 0 never reads as 100% or 0%. */
export function displayPercent(rate: number): string {
  const whole = Math.round(rate * 100)
  if (whole === 100 && rate < 1) return '>99%'
  return whole === 0 && rate > 0 ? '<1%' : `${whole}%`
}

/** A fractional score with two decimals, such as 0.40; never 1 or 0 for a value that is not. */
export function displayScore(score: number): string {
  const shown = score.toFixed(2)
  if (shown === '1.00' && score < 1) return '>0.99'
  return shown === '0.00' && score > 0 ? '<0.01' : shown
}

/** A small difference in points that never reads as 0 if it is not: "+0.4", "+12". */
export function displayFinePoints(difference: number): string {
  return signed(difference * 100, Math.round(difference * 100) === 0 && difference !== 0 ? 1 : 0)
}

/** A difference of rates in points, with its sign. */
export function displayPoints(difference: number): string {
  return signed(Math.round(difference * 100), 0)
}

/** The ends of an interval in points, with a decimal where an end would read as 0 only by rounding. */
export function displayPointRange(low: number, high: number): string {
  const isHidden = (end: number) => Math.round(end * 100) === 0 && Math.round(end * 1000) !== 0
  const digits = isHidden(low) || isHidden(high) ? 1 : 0
  return `${signed(low * 100, digits)} to ${signed(high * 100, digits)}`
}

interface DisplayedRates {
  candidate: string
  baseline: string
  /** "+27". */
  difference: string
}

/** Two rates and their difference, each rounded for itself, as in the terminal. */
export function displayRates(candidate: number, baseline: number): DisplayedRates {
  return {
    candidate: displayPercent(candidate),
    baseline: displayPercent(baseline),
    difference: displayFinePoints(candidate - baseline),
  }
}

/** Zero has no sign. */
function signed(value: number, digits: number): string {
  const size = Math.abs(value).toFixed(digits)
  if (Number(size) === 0) return size
  return `${value < 0 ? '-' : '+'}${size}`
}

/** "= 0.12", "= 0.034", "< 0.001": as in the terminal. */
export function displayProbability(p: number): string {
  const isNearAlpha = Math.round(1000 * p) === 50 && p !== 0.05
  return p < 0.001 ? '< 0.001' : `= ${p.toFixed(isNearAlpha ? 4 : p < 0.1 ? 3 : 2)}`
}

export function displaySeconds(value: number): string {
  if (value < 600) return `${value.toFixed(1)} s`
  const whole = Math.round(value)
  return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`
}

export function displayCount(value: number): string {
  return Math.round(value)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

export function displayDollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`
}

export function displayPlural(number: number, word: string, plural = `${word}s`): string {
  return `${displayCount(number)} ${number === 1 ? word : plural}`
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** "with_skill" as "with skill". */
export function displayArm(configuration: string): string {
  return configuration.replaceAll('_', ' ')
}

const hidden = /(?![\n\t\r])\p{Cc}|[\u061C\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2060-\u2069\uFEFF]/gu
const someHidden = new RegExp(hidden.source, 'u')

/** Shows characters that change how the text around them is read as their codes, such as ⟨U+202E⟩. */
export function revealHidden(text: string): string {
  if (!someHidden.test(text)) return text
  return text.replaceAll(
    hidden,
    (found) => `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}
