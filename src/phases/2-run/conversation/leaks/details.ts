/** Finds details in a message that none of its sources has: figures, dates, names, addresses, paths, identifiers, quotes. */
import { findCalendarWords } from './calendar.ts'
import { type FoundNumber, findNumbers } from './numbers.ts'
import type { Sources } from './sources.ts'
import { isEveryday, reduceToStem, splitWords, type Word } from './words.ts'

/** The details that are in no source, as written in the message. */
export function findNewDetails(message: string, sources: Sources): string[] {
  const { rest, found } = takeAddresses(message, sources)
  return [
    ...found,
    ...findNewQuotes(rest, sources),
    ...findNewNumbers(rest, sources),
    ...findCalendarWords(rest)
      .filter((one) => !sources.knowsCalendarWord(one))
      .map(({ text }) => text),
    ...findNewNames(rest, sources),
    ...findSpelledOut(rest, sources),
  ]
}

const email = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g
const url = /\bhttps?:\/\/[^\s<>"')\]]+|\bwww\.[^\s<>"')\]]+/gi
const domain =
  /\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|io|dev|de|fr|es|jp|cn|co\.uk|eu|gov|edu|ai|app)\b(?:\/\S*)?/gi
const filePath =
  /(?:~|\.{1,2})?\/(?:[\w.@-]+\/)+[\w.@-]*|(?:~|\.{1,2})\/[\w.@-]+|\b[A-Z]:\\[\w\\.-]+|\b[\w-]+(?:\/[\w.-]+)+\.\w{1,5}\b/g
const fileName =
  /\b[\w-]+\.(?:md|txt|csv|json|ya?ml|xml|html?|css|[jt]sx?|m[jt]s|py|rb|go|rs|sh|sql|pdf|docx?|xlsx?|pptx?|png|jpe?g|svg|zip|log|toml|ini|env)\b/gi
const codeName = /\b\w*[a-z0-9]_\w+\b|\b\p{Ll}+\p{Lu}\w*\b|\b\p{Lu}\p{Ll}+\p{Lu}\w*\b/gu
const encoded =
  /(?<![\w/+])(?=[A-Za-z0-9+/]*[A-Z])(?=[A-Za-z0-9+/]*[a-z])(?=[A-Za-z0-9+/]*[0-9+/=])[A-Za-z0-9+/]{12,}={0,2}|\b[0-9a-f]{16,}\b|\b[A-Za-z0-9+/]{10,}={1,2}/g
const mixed =
  /(?<![\p{L}\p{N}_])[#]?(?=[A-Za-z-]*\d)(?=[\d-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\p{L}\p{N}_])/gu

/** A number with a unit or an ending (20th, 11am, 5kg, 3-day), or a word that everyone knows (mp3, A4). */
const numberWithUnit =
  /^#?\d[\d.,]*(?:-\d[\d.,]*)?-?(?:st|nd|rd|th|e|er|ème|am|pm|k|m|x|h|hrs?|mins?|s|kg|g|mg|km|cm|mm|ml|l|mb|gb|tb|px|pt|usd|eur|gbp|c|f|ish|d|w|y|day|days|week|weeks|month|months|year|years|hour|hours|minute|minutes|night|nights|page|pages|people|person|bedroom|star|way|step|part|item|point|digit|inch|seat|piece|size|sized|course|bullet|sentence|sentences|word|words|line|lines)s?(?:-[a-z]+)*$/i
const everydayCode = /^(?:mp[34]|b2[bc]|2fa|a[345]|h[12]|[234]d|covid-?19|4k|1on1|p2p|i18n|\d+-on-\d+|\d+-to-\d+)$/i

/** Addresses and names for machines; `rest` is the message without all of them. */
function takeAddresses(message: string, sources: Sources): { rest: string; found: string[] } {
  let rest = message
  const found: string[] = []
  for (const pattern of [url, email, filePath, domain, fileName, encoded, codeName, mixed]) {
    rest = rest.replaceAll(pattern, (one) => {
      const bare = one.replace(/^#|[.,;:!?]+$/g, '')
      if (pattern === mixed && (numberWithUnit.test(one) || everydayCode.test(one))) return one
      if (pattern === mixed && /^[a-z]+-\d+$/i.test(one) === false && /^\d+-[a-z-]+$/i.test(one)) return one
      if (pattern === codeName && isLongerForm(bare, sources)) return one
      if (!sources.hasText(bare) && !sources.hasParts(bare) && !sources.hasSpaced(bare)) found.push(bare)
      return ' '.repeat(one.length)
    })
  }
  return { rest, found }
}

/** Such as PostgreSQL where the sources have Postgres. */
function isLongerForm(name: string, sources: Sources): boolean {
  return /^\p{L}{7,10}$/u.test(name) && sources.stems.has(reduceToStem(name))
}

const quotes = [
  /"([^"\n]{2,300})"/g,
  /“([^”\n]{2,300})”/g,
  /„([^“”"\n]{2,300})[“”"]/g,
  /«([^»\n]{2,300})»/g,
  /`([^`\n]{2,300})`/g,
]
const cjkQuotes = /[「『]([^」』]{2,300})[」』]/gu

function findNewQuotes(text: string, sources: Sources): string[] {
  const found = quotes.flatMap((pattern) => [...text.matchAll(pattern)].map(([, inner = '']) => inner))
  const isNew = (inner: string) =>
    !sources.hasText(inner) &&
    splitWords(inner).some(({ stem, text: word }) => word.length > 2 && !isEveryday(stem) && !sources.stems.has(stem))
  const inCjk = [...text.matchAll(cjkQuotes)].map(([, inner = '']) => inner).filter((inner) => !sources.hasText(inner))
  return [...found.filter(isNew), ...inCjk.filter((inner) => inner.length >= 4)].map((inner) => `"${inner}"`)
}

/** Everyday amounts, such as "5 minutes" and "2-3 sentences", and sayings. */
const ordinaryUnit =
  /^\s?(?:-|–|to|or|oder|bis|und|and)?\s?\d*\s?-?(?:min|minutes?|mins|sec|seconds?|moments?|words?|sentences?|paragraphs?|lines?|points?|bullets?|bullet points?|options?|things?|questions?|times?|steps?|items?|ideas?|sätze?|sätzen|minuten?|punkte?n?|worte?|wörter|fragen?|optionen|mal|dinge|句|分钟|个问题|点|つ|分|件|文|行)(?![\p{L}])/iu
const people =
  /^\s?(?:of us|people|persons?|adults?|guests|passengers|travell?ers|tickets|seats|personen|leute|personnes|personas|人|名)/iu
const nextDay =
  /\b(?:next|following|previous) day\b|\bday (?:after|before|later|earlier)\b|\btomorrow\b|\b(?:tag danach|nächsten tag|tag davor|morgen)\b/i
const saying = /^(?:24\/7|50[/-]50|100 ?%|110 ?%|1000 ?%|100 percent|100 prozent|9-to-5|9 to 5|50-50|20\/20|101\b)/i

function findNewNumbers(text: string, sources: Sources): string[] {
  const listed = text.replaceAll(/^\s*\(?\d{1,2}[.):](?=\s)/gm, (one) => ' '.repeat(one.length))
  const found = findNumbers(listed, sources.language(text))
  return found
    .filter((one) => !isKnownNumber(one, listed, sources))
    .map(({ text: one, after }) => `${one}${/^ ?(?:%|€|\p{L}+)/u.exec(after)?.[0] ?? ''}`)
}

function isKnownNumber(found: FoundNumber, text: string, sources: Sources): boolean {
  const { values, before, after } = found
  const isAmount =
    /[$€£¥#]\s?$/.test(before) || /^\s?(?:[%€£¥]|percent|prozent|dollars?|euros?|pounds?|usd|eur)/i.test(after)
  const value = Math.min(...values)
  if (saying.test(`${found.text}${after}`) || /(?:24\/|50[/-]|20\/)$/.test(before)) return true
  if (!isAmount && value <= 3 && !isDay(found)) return true
  if (!isAmount && value <= 10 && (ordinaryUnit.test(after) || isRank(found))) return true
  if (values.some((one) => sources.knowsNumber(one)) || isKnownDate(found.text, sources)) return true
  if (people.test(after) && sources.knowsSum(value)) return true
  if (nextDay.test(text) && [value - 1, value + 1].some((one) => sources.knowsNumber(one))) return true
  return sources.hasDigits(found.text, text)
}

/** Such as the 5th, if it is not the day of a month. */
function isRank(found: FoundNumber): boolean {
  return /^(?:st|nd|rd|th)\b/.test(found.after) && !isDay(found)
}

/** Whether a month is next to it, as in 1. Juli, 5th of May and July 1. */
function isDay({ text, before, after }: FoundNumber): boolean {
  const [next = ''] = /^(?:st|nd|rd|th|\.)?\s(?:of\s|de\s)?\p{L}+/u.exec(after) ?? []
  const [last = ''] = /\p{L}+\.?\s$/u.exec(before) ?? []
  return findCalendarWords(`${last}${text}${next}`).some(({ month }) => month !== undefined)
}

/** Such as 4.2.2026 and 15.8: each part is a number of the sources. */
function isKnownDate(text: string, sources: Sources): boolean {
  if (!/^\d{1,2}\.\d{1,2}(?:\.\d{2,4})?$/.test(text)) return false
  return text.split('.').every((part) => Number(part) <= 3 || sources.knowsNumber(Number(part)))
}

const ordinaryCapital =
  /^(?:I|I['’]\w+|OK|Ok|Okay|PS|Mr|Mrs|Ms|Dr|Sir|Madam|Hi|Hello|Dear|Best|Kind|Regards|Thanks|Cheers|Sincerely|Mom|Dad|AM|PM|TBD|TBA|NA)$/

/** Capitals within a sentence, in languages where they mean a name; in German only behind a title. */
function findNewNames(text: string, sources: Sources): string[] {
  const words = splitWords(text)
  if (isShouted(words)) return []
  const numbers = findNumbers(text, sources.language(text)).flatMap((one) => one.text.split(/[\s-]+/))
  const known = new Set([...findCalendarWords(text).map(({ text: word }) => word), ...numbers])
  const isGerman = sources.language(text) === 'de'
  return joinNames(words, text)
    .filter((name) => !sources.hasAbbreviation(name.map((word) => word.text)))
    .flatMap((name) => name.filter((word) => !known.has(word.text) && isNewName(word, { text, sources, isGerman })))
    .map((word) => word.text)
}

function isShouted(words: readonly Word[]): boolean {
  const shouted = words.filter(({ text }) => text.length > 1 && text === text.toUpperCase() && /\p{Lu}/u.test(text))
  return shouted.length > 3 && shouted.length > words.length / 2
}

/** Words with capitals in a row, such as New York, together. */
function joinNames(words: readonly Word[], text: string): Word[][] {
  const names: Word[][] = []
  for (const [index, word] of words.entries()) {
    if (!/^\p{Lu}/u.test(word.text)) continue
    const before = words[index - 1]
    const last = names.at(-1)
    const isNext =
      before !== undefined && last?.at(-1) === before && text.slice(before.at + before.text.length, word.at) === ' '
    if (isNext) last?.push(word)
    else names.push([word])
  }
  return names
}

function isNewName(word: Word, { text, sources, isGerman }: NameContext): boolean {
  if (word.text.length < 2 || ordinaryCapital.test(word.text)) return false
  if (sources.stems.has(word.stem) || word.text.split(/['’]/).every((part) => isEveryday(reduceToStem(part))))
    return false
  if (/^\p{Lu}{3,5}$/u.test(word.text) && sources.hasWordStart(word.text)) return false
  // the plural of an abbreviation, such as IDs
  if (isEveryday(reduceToStem(word.text.replace(/(?<=\p{Lu})s$/u, '')))) return false
  if (isGerman) return /(?:Herrn?|Frau|Dr\.|Prof\.)\s$/.test(text.slice(Math.max(0, word.at - 8), word.at))
  return !word.startsSentence && !isLabel(text, word.at)
}

interface NameContext {
  text: string
  sources: Sources
  isGerman: boolean
}

/** A line like a heading or a label, "Preferred Date: …": its capitals are no names. */
function isLabel(text: string, at: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', at) + 1).split('\n')[0] ?? ''
  const label = /^[\s\d.)*#-]*([^:]{2,40}):/.exec(line)
  const offset = at - (text.lastIndexOf('\n', at) + 1)
  return label !== null && offset < label[0].length
}

/** Letters or digits one by one, as in "4 2 0 0 0" and "M-A-R-C". */
function findSpelledOut(text: string, sources: Sources): string[] {
  const found = [...text.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[ .-][\p{L}\p{N}]){3,}(?![\p{L}\p{N}])/gu)]
  return found
    .map(([one]) => one)
    .filter((one) => {
      const joined = one.replaceAll(/[ .-]/g, '')
      return !sources.hasText(joined) && !sources.hasText(one) && !sources.hasDigits(joined, text)
    })
}
