/** Numbers and texts as a person reads them, the same in notes, tables and pages. */
import { fixed } from './stats/round.ts'

/** A rate as "85%". A rate that is not quite all or nothing never reads as 100% or 0%. */
export function percent(rate: number): string {
  const whole = hundredths(rate)
  if (whole === 100 && rate < 1) return '>99%'
  return whole === 0 && rate > 0 ? '<1%' : `${whole}%`
}

/** A difference of rates in whole percentage points, rounded as the delta strings are. */
export function hundredths(rate: number): number {
  return Math.round(Number(fixed(rate, 2)) * 100)
}

/** 42.5s, 12m 05s. */
export function seconds(value: number): string {
  if (value < 600) return `${fixed(value, 1)}s`
  const whole = Math.round(value)
  return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`
}

/** 3,800. */
export function count(value: number): string {
  const whole = fixed(value, 0)
  return whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** $0.42; four decimals below a cent. */
export function dollars(usd: number): string {
  return `$${fixed(usd, usd > 0 && usd < 0.01 ? 4 : 2)}`
}

/** A p value: 0.003, 0.25, < 0.001. */
export function probability(p: number): string {
  return p < 0.001 ? '< 0.001' : fixed(p, p < 0.1 ? 3 : 2)
}

/** "p = 0.12", "p < 0.001"; '' where it is not known. */
export function pText(p: number | null): string {
  if (p === null) return ''
  return p < 0.001 ? 'p < 0.001' : `p = ${probability(p)}`
}

/** "1 run", "2 runs". */
export function plural(number: number, word: string): string {
  return `${count(number)} ${word}${number === 1 ? '' : 's'}`
}

/** "3 of 6 queries behave as they should". */
export function behaving(passed: number, total: number): string {
  return `${passed} of ${total} ${total === 1 ? 'query behaves as it should' : 'queries behave as they should'}`
}

/** "with_skill" as "with skill". */
export function armLabel(configuration: string): string {
  return configuration.replaceAll('_', ' ')
}

/** One line of at most `longest` characters. */
export function short(text: string, longest = 140): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  const letters = [...flat]
  return letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : flat
}

/**
 * Characters that change how the text around them is read (bidi controls, terminal and other control characters) as
 * their code, such as ⟨U+202E⟩. Line ends and tabs stay.
 */
export function visible(text: string): string {
  return text.replaceAll(
    hidden,
    (found) => `⟨U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}

const hidden = /(?![\n\t\r])\p{Cc}|[\u061C\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2060-\u2069\uFEFF]/gu
