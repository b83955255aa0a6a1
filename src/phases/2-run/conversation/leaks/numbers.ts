/** Numbers in a text, whether in digits or in words, as values that can be compared. */
import { splitWords } from './words.ts'

/** `values`: what it can mean (1.200 is 1200 or 1.2). `after`: the text behind it, `before`: in front of it. */
export interface FoundNumber {
  text: string
  values: readonly number[]
  before: string
  after: string
}

const digits = /\d+(?:[.,'’]\d+)*/g
const scales: readonly (readonly [RegExp, number])[] = [
  [/^ ?(?:k|thousand|tausend|tsd|mil|mille|千)(?![\p{L}])/iu, 1e3],
  [/^ ?(?:m|mio|mn|million|millions|millionen|millones)(?![\p{L}])/iu, 1e6],
  [/^ ?(?:bn|billion|milliarden?|mrd)(?![\p{L}])/iu, 1e9],
  [/^ ?[万萬]/u, 1e4],
  [/^ ?[亿億]/u, 1e8],
]

export function findNumbers(text: string, language: string): FoundNumber[] {
  return [...findDigits(text), ...findNumberWords(text, language), ...findHanNumbers(text)]
}

function findDigits(text: string): FoundNumber[] {
  return [...text.matchAll(digits)].map(({ 0: found, index }) => {
    const after = text.slice(index + found.length)
    const scale = scales.find(([name]) => name.test(after))?.[1]
    const plain = readDigits(found)
    const values = scale === undefined ? plain : plain.map((value) => value * scale)
    // "5 m" may be metres
    const all = scale === 1e6 || scale === 1e3 ? [...values, ...plain] : values
    return { text: found, values: all, before: text.slice(Math.max(0, index - 20), index), after: after.slice(0, 30) }
  })
}

function readDigits(text: string): number[] {
  const parts = text.split(/[.,'’]/)
  const joined = Number(parts.join(''))
  if (parts.length === 1) return [joined]
  const decimal = Number(`${parts.slice(0, -1).join('')}.${parts.at(-1)}`)
  const isGrouped = parts.slice(1).every((part) => part.length === 3)
  const isCents = /^0+$/.test(parts.at(-1) ?? '')
  if (isGrouped) return [joined, decimal]
  return isCents ? [decimal, Math.trunc(decimal)] : [decimal]
}

type Names = Readonly<Record<string, number>>

const multiples: Names = { hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9 }
const english: Names = {
  ...name('zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'),
  ...{
    seventeen: 17,
    eighteen: 18,
    nineteen: 19,
    twenty: 20,
    thirty: 30,
    forty: 40,
    fifty: 50,
    sixty: 60,
    seventy: 70,
  },
  ...{ eighty: 80, ninety: 90, dozen: 12, ...multiples },
  ...{ twentieth: 20, thirtieth: 30, eleventh: 11, twelfth: 12, thirteenth: 13, fourteenth: 14, fifteenth: 15 },
  ...{ sixteenth: 16, seventeenth: 17, eighteenth: 18, nineteenth: 19 },
}
const german: Names = {
  ...name('null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn'),
  ...{ siebzehn: 17, achtzehn: 18, neunzehn: 19, zwanzig: 20, dreißig: 30, vierzig: 40, fünfzig: 50, sechzig: 60 },
  ...{ siebzig: 70, achtzig: 80, neunzig: 90, hundert: 100, tausend: 1e3, million: 1e6, millionen: 1e6, dutzend: 12 },
}
const french: Names = {
  ...name('zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize'),
  ...{ vingt: 20, trente: 30, quarante: 40, cinquante: 50, soixante: 60, cent: 100, cents: 100, mille: 1e3 },
}
const spanish: Names = {
  ...name('cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis'),
  ...{
    diecisiete: 17,
    dieciocho: 18,
    diecinueve: 19,
    veinte: 20,
    treinta: 30,
    cuarenta: 40,
    cincuenta: 50,
    sesenta: 60,
  },
  ...{ setenta: 70, ochenta: 80, noventa: 90, cien: 100, ciento: 100, mil: 1e3, millón: 1e6, millones: 1e6 },
}
const languages: Readonly<Record<string, Names>> = { en: english, de: german, fr: french, es: spanish }

function name(words: string): Names {
  return Object.fromEntries(words.split(' ').map((word, value) => [word, value]))
}

const unit = /^ ?(?:dollars?|euros?|pounds?|bucks|usd|eur|people|guests|percent)/i

/** One number for each series of number words, such as "forty-two thousand"; a lone "hundred" or "million" counts only with a unit. */
function findNumberWords(text: string, language: string): FoundNumber[] {
  const names = languages[language] ?? english
  const found: FoundNumber[] = []
  let series: { parts: number[]; from: number; to: number } | null = null
  const close = () => {
    if (series === null) return
    const { from, to, parts } = series
    series = null
    const after = text.slice(to, to + 30)
    const isSaying = parts.length === 1 && (parts[0] ?? 0) >= 100 && !unit.test(after)
    if (isSaying) return
    found.push({
      text: text.slice(from, to),
      values: [addUp(parts)],
      before: text.slice(Math.max(0, from - 20), from),
      after,
    })
  }
  for (const word of splitWords(text)) {
    const parts = language === 'de' ? splitGerman(word.text) : toParts(names[word.text.toLowerCase()])
    const gap: string = series === null ? '' : text.slice(series.to, word.at)
    if (parts !== null && series !== null && /^[\s-]*$/.test(gap)) {
      series.parts.push(...parts)
      series.to = word.at + word.text.length
    } else if (parts !== null) {
      close()
      series = { parts, from: word.at, to: word.at + word.text.length }
    } else if (series === null || !/^(?:and|und|y|et)$/i.test(word.text)) close()
    else if (addUp(series.parts) < 100) close()
    else series.to = word.at + word.text.length
  }
  close()
  return found
}

function toParts(value: number | undefined): number[] | null {
  return value === undefined ? null : [value]
}

const germanPart = new RegExp(
  `^(?:${Object.keys(german)
    .sort((a, b) => b.length - a.length)
    .join('|')}|und)`,
)

/** The parts of a German number word, such as zweiundvierzigtausend; null: it is not one. */
function splitGerman(word: string): number[] | null {
  const parts: number[] = []
  // also vierte and zwanzigsten
  let rest = word
    .toLowerCase()
    .replace('dreissig', 'dreißig')
    .replace(/s?te[nrms]?$/, '')
  while (rest !== '') {
    const part = germanPart.exec(rest)?.[0]
    if (part === undefined) return null
    if (part !== 'und') parts.push(german[part] ?? 0)
    rest = rest.slice(part.length)
  }
  // "ein" is an article, and "und" no number
  return parts.length === 0 || word.toLowerCase() === 'ein' ? null : parts
}

/** Such as 42000 of [2, 40, 1000]. */
function addUp(parts: readonly number[]): number {
  let [total, current] = [0, 0]
  for (const part of parts) {
    if (part < 100) current += part
    else if (part === 100) current = Math.max(1, current) * 100
    else {
      total += Math.max(1, current) * part
      current = 0
    }
  }
  return total + current
}

const han: Names = { ...name('〇 一 二 三 四 五 六 七 八 九 十'), 零: 0, 两: 2, 百: 100, 千: 1e3, 万: 1e4, 萬: 1e4 }
// one sign alone is a number in a date or an age
const hanNumber = /[〇零一二两三四五六七八九十百千万萬]{2,}|[一二两三四五六七八九十](?=[月日号號岁歳])/gu
// 十分 is "very", 千万 "by all means": they are words
const hanWords = /^(?:千万|万一|十分|万千|百万|一一|十万|一百|三三两两)$/u

function findHanNumbers(text: string): FoundNumber[] {
  const found = [...text.matchAll(hanNumber)].filter(({ 0: one }) => !hanWords.test(one))
  return found.map(({ 0: one, index }) => ({
    text: one,
    values: [readHan(one)],
    before: text.slice(Math.max(0, index - 20), index),
    after: text.slice(index + one.length, index + one.length + 30),
  }))
}

function readHan(text: string): number {
  const values = [...text].map((one) => han[one] ?? 0)
  if (values.every((value) => value < 10)) return Number(values.join(''))
  let [total, current, digit] = [0, 0, 0]
  for (const value of values) {
    if (value < 10) digit = value
    else if (value < 1e4) {
      current += Math.max(1, digit) * value
      digit = 0
    } else {
      total += Math.max(1, current + digit) * value
      current = 0
      digit = 0
    }
  }
  return total + current + digit
}
