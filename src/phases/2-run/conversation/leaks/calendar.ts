/** Names of months and weekdays in a text; a weekday is known from a date as well. */
import { splitWords } from './words.ts'

/** `month` 1 to 12, or `weekday` 0 (Sunday) to 6. */
export interface CalendarWord {
  text: string
  month?: number
  weekday?: number
}

const locales = ['en', 'de', 'fr', 'es']

const months = new Map<string, number>()
const weekdays = new Map<string, number>()
for (const locale of locales) {
  for (let month = 0; month < 12; month += 1) {
    const date = new Date(Date.UTC(2026, month, 15))
    for (const form of ['long', 'short'] as const) months.set(formatPart(locale, date, { month: form }), month + 1)
  }
  // 1 February 2026 is a Sunday
  for (let weekday = 0; weekday < 7; weekday += 1) {
    const date = new Date(Date.UTC(2026, 1, 1 + weekday))
    weekdays.set(formatPart(locale, date, { weekday: 'long' }), weekday)
  }
}

function formatPart(locale: string, date: Date, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(date).toLowerCase().replace('.', '')
}

/** Words in several languages that are also others: they name a month only next to a number. */
const ambiguous = new Set([
  'may',
  'march',
  'mar',
  'mai',
  'mars',
  'dec',
  'jan',
  'jun',
  'sep',
  'oct',
  'nov',
  'apr',
  'avr',
  'abr',
  'juin',
  'ago',
  'ene',
  'dic',
  'dez',
  'feb',
  'jul',
  'aug',
  'okt',
  'mär',
  'sept',
])

export function findCalendarWords(text: string): CalendarWord[] {
  return splitWords(text).flatMap((word): CalendarWord[] => {
    const name = word.text.toLowerCase()
    const weekday = weekdays.get(name) ?? weekdays.get(name.replace(/s$/, ''))
    if (weekday !== undefined) return [{ text: word.text, weekday }]
    const month = months.get(name)
    if (month === undefined) return []
    const before = text.slice(Math.max(0, word.at - 8), word.at)
    const after = text.slice(word.at + word.text.length, word.at + word.text.length + 6)
    const isDated = /\d(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?$/i.test(before) || /^\.?,?\s?\d/.test(after)
    return ambiguous.has(name) && !isDated ? [] : [{ text: word.text, month }]
  })
}

/** Whole dates in a text: 2026-03-03, 3.3.2026, 3/3/2026 (both orders), March 3, 2026, 3 March 2026. */
export function findDates(text: string): { months: number[]; weekdays: number[] } {
  const dates: [number, number, number][] = []
  for (const [, y, m, d] of text.matchAll(/\b(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})/g))
    dates.push([Number(y), Number(m), Number(d)])
  for (const [, a, b, y] of text.matchAll(/\b(\d{1,2})[./-]\s?(\d{1,2})[./-]\s?(\d{4})\b/g))
    dates.push([Number(y), Number(a), Number(b)], [Number(y), Number(b), Number(a)])
  for (const [, word = '', d, y] of text.matchAll(/(\p{L}{3,})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})/gu)) {
    const month = months.get(word.toLowerCase())
    if (month !== undefined) dates.push([Number(y), month, Number(d)])
  }
  for (const [, d, word = '', y] of text.matchAll(
    /(\d{1,2})(?:st|nd|rd|th|\.)? (?:of |de )?(\p{L}{3,})\.?,? (?:de )?(\d{4})/gu,
  )) {
    const month = months.get(word.toLowerCase())
    if (month !== undefined) dates.push([Number(y), month, Number(d)])
  }
  return {
    months: [
      ...dates.map(([, month]) => month),
      ...[...text.matchAll(/(\d{1,2})[./月]/g)].map(([, one]) => Number(one)),
    ],
    weekdays: dates.map(([y, m, d]) => new Date(Date.UTC(y, m - 1, d)).getUTCDay()),
  }
}
