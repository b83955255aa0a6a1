/** Words of a dialogue in a form that can be compared: without case, accents and most inflection. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import * as z from 'zod'
import { checkAs } from '../../../../base/json/json.ts'

const wordLists = checkAs(
  z.record(z.string(), z.object({ marks: z.string(), words: z.string() })),
  parse(readFileSync(new URL('./everyday_words.yaml', import.meta.url), 'utf8')),
  'everyday_words.yaml',
)

/** A word as it is in a text. `startsSentence`: its capital says nothing. */
export interface Word {
  text: string
  stem: string
  at: number
  startsSentence: boolean
}

const wordPattern = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu
const sentenceStart = /(?:^|[.!?:;…()[\]{}"“”„«»*_#>|/–—•。！？]|\n|\s-)[\s"“„«'’*_(]*$/u

/** The words of a text in scripts that put spaces between words, in order; a hyphen separates two. */
export function splitWords(text: string): Word[] {
  return [...text.matchAll(wordPattern)].map(({ 0: word, index }) => ({
    text: word,
    stem: stemWord(word),
    at: index,
    startsSentence: sentenceStart.test(text.slice(Math.max(0, index - 12), index)),
  }))
}

/** The words with a space on either side of each, to look for some of them in a row. */
export function joinWords(words: readonly Word[]): string {
  return ` ${words.map(({ text }) => text.toLowerCase()).join(' ')} `
}

const endings = /(?:'s|ings?|edly|ed|ies|es|s|ern|en|em|er|ers|ly|e|n|y)$/

/** One form for most inflections of a word: book, books and booking. Words that begin alike may get the same form. */
export function stemWord(word: string): string {
  const plain = word.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('’', "'").toLowerCase()
  const root = plain.replace(/'s$/, '').replace(endings, '')
  return (root.length < 3 ? plain : root).slice(0, 6)
}

export function stemSet(text: string): Set<string> {
  return new Set(splitWords(text).map(({ stem }) => stem))
}

const everydayStems = stemSet(
  Object.values(wordLists)
    .flatMap(({ marks, words }) => [marks, words])
    .join(' '),
)

export function isEveryday(stem: string): boolean {
  return stem.length < 3 || everydayStems.has(stem)
}

const languageMarks = Object.entries(wordLists).map(([language, { marks }]) => ({
  language,
  marks: new Set(marks.split(/\s+/)),
}))

/** The language with the most marks of its own in the text, and how many; null: none of those that are known. */
export function detectLanguage(text: string): { language: string; marks: number } | null {
  const words = splitWords(text).map((word) => word.text.toLowerCase())
  const counted = languageMarks.map(({ language, marks }) => ({
    language,
    marks: words.filter((word) => marks.has(word)).length,
  }))
  const [first, second] = counted.sort((a, b) => b.marks - a.marks)
  return first === undefined || first.marks === 0 || first.marks === second?.marks ? null : first
}

/** Words that say something: they are not everyday, and no other text has them. */
export function findNewWords(words: readonly Word[], known: ReadonlySet<string>): Word[] {
  return words.filter(({ stem, text }) => text.length >= 4 && !isEveryday(stem) && !known.has(stem))
}
