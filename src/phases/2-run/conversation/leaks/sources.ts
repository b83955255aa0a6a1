/** What a simulated user may say: the words, figures and names of its sources, in forms that can be looked up. */
import { type CalendarWord, findCalendarWords, findDates } from './calendar.ts'
import { findNumbers } from './numbers.ts'
import { detectLanguage, joinWords, splitWords, stemSet } from './words.ts'

export interface Sources {
  text: string
  stems: ReadonlySet<string>
  hasText: (text: string) => boolean
  /** Whether these words, as joinWords writes them, are in a row. */
  hasWords: (joined: string) => boolean
  /** Each part of a path or an identifier is a word of the sources. */
  hasParts: (text: string) => boolean
  /** Whether the sources have it with a space or a hyphen inside, as in KX 204, or without the v of a version. */
  hasSpaced: (text: string) => boolean
  /** Whether the sources have the initials or the first letters of a name, as in SFO for San Francisco and ATL for Atlanta. */
  hasAbbreviation: (name: readonly string[]) => boolean
  /** Whether a word of the sources begins with it, as euros with EUR. */
  hasWordStart: (start: string) => boolean
  knowsNumber: (value: number) => boolean
  /** Whether it is the sum of two small numbers, as of adults and children. */
  knowsSum: (value: number) => boolean
  /** Whether these digits are in a longer number of the sources, as the last four of a card are. `message`: where they stand. */
  hasDigits: (digits: string, message: string) => boolean
  knowsCalendarWord: (word: CalendarWord) => boolean
  /** Language of a text, or else of the sources. */
  language: (text: string) => string
}

export function openSources(texts: readonly string[]): Sources {
  const text = texts.join('\n').normalize('NFKC')
  const folded = fold(text)
  const spaceless = removeSpaces(text)
  const words = joinWords(splitWords(text))
  const stems = stemSet(text)
  const language = detectLanguage(text)?.language ?? 'en'
  const numbers = collectNumbers(text, language)
  const named = findCalendarWords(text)
  const dates = findDates(text)
  const months = new Set([...named.map(({ month }) => month), ...dates.months])
  const weekdays = new Set([...named.map(({ weekday }) => weekday), ...dates.weekdays])
  const runs = joinDigits(text)
  const codes = text.match(/\b\p{Lu}{2,5}\b/gu) ?? []
  return {
    text,
    stems,
    hasWords: (joined) => words.includes(joined),
    hasText: (one) => folded.includes(fold(one)),
    hasParts: (one) => {
      const split = one.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').toLowerCase()
      const parts = split.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== '')
      return parts.length > 1 && parts.every((part) => folded.includes(part))
    },
    hasSpaced: (one) => {
      const plain = removeSpaces(one)
      return (plain.length >= 4 && spaceless.includes(plain)) || numbers.has(Number(/^v(\d+)$/.exec(plain)?.[1]))
    },
    hasAbbreviation: (name) => {
      const initials = name.map(([first = '']) => first).join('')
      const joined = name.join('').toUpperCase()
      return codes.some((code) => {
        return (initials.length > 1 && code.startsWith(initials)) || (code.length > 2 && joined.startsWith(code))
      })
    },
    hasWordStart: (start) => words.includes(` ${start.toLowerCase()}`),
    knowsNumber: (value) => numbers.has(value),
    knowsSum: (value) => value <= 20 && [...numbers].some((one) => one < value && numbers.has(value - one)),
    hasDigits: (digits, message) => {
      const own = digits.replaceAll(/\D/g, '')
      const inRun = (part: string) => part.length >= 4 && runs.some((run) => run.includes(part))
      return inRun(own) || joinDigits(message).some((run) => run.includes(own) && inRun(run))
    },
    knowsCalendarWord: ({ month, weekday }) => (month === undefined ? weekdays.has(weekday) : months.has(month)),
    language: (one) => {
      const own = detectLanguage(one)
      return own !== null && own.marks >= 2 ? own.language : language
    },
  }
}

function collectNumbers(text: string, language: string): Set<number> {
  const known = new Set<number>()
  for (const { values, after, text: found } of [...findNumbers(text, language), ...findNumbers(text, 'en')]) {
    for (const value of values) known.add(value)
    const [value = 0] = values
    // 2026 may be written 26, and 14:00 is 2 pm
    if (value >= 1900 && value < 2100) known.add(value % 100)
    if (value > 12 && value < 24) known.add(value - 12)
    if (value <= 12 && /^(?:[:.]\d\d)?\s?p\.?m/i.test(after)) known.add(value + 12)
    if (/^0/.test(found)) known.add(Number(found))
  }
  for (const { month } of findCalendarWords(text)) if (month !== undefined) known.add(month)
  return known
}

/** Digits that belong together, without what separates them, such as those of a telephone number. */
function joinDigits(text: string): string[] {
  return [...text.matchAll(/\d(?:[ ./()-]{0,2}\d)*/g)].map(([run]) => run.replaceAll(/\D/g, ''))
}

function removeSpaces(text: string): string {
  return text.toLowerCase().replaceAll(/[\s-]/g, '')
}

/** Without case, accents, line breaks and marks of emphasis. */
export function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[*_`]/g, '')
    .replaceAll('’', "'")
    .replaceAll(/\s+/g, ' ')
    .trim()
}
