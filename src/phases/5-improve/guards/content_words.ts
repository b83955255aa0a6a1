/** Reduces a text to the stems of its words and its numbers, so that a paraphrase has the same ones. */
import { stopWords } from './common_words.ts'

export interface ContentWord {
  /** A stem, or a number in its shortest form: `1,248` and `1248.00` are 1248. */
  value: string
  kind: 'word' | 'number'
  /** As written. */
  text: string
  /** The line of the text, from 0. */
  line: number
  /** The place among the content words of the text, from 0. */
  position: number
}

const numberWords = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
  'seventeen eighteen nineteen twenty'
).split(' ')

/** In the order of the text, without stop words, single letters and the numbers of lists. */
export function listContentWords(text: string): ContentWord[] {
  const found: ContentWord[] = []
  for (const [line, content] of text.split('\n').entries()) {
    for (const [token] of splitIdentifiers(content).matchAll(/\d+(?:\.\d+)*|\p{L}[\p{L}\p{M}]*/gu)) {
      const word = token.toLowerCase()
      const number = /^\d/.test(word) ? shortenNumber(word) : numberWords.indexOf(word)
      const at = { text: token, line, position: found.length }
      if (number !== -1) found.push({ value: String(number), kind: 'number', ...at })
      else if (word.length > 1 && !stopWords.has(word)) found.push({ value: stemWord(word), kind: 'word', ...at })
    }
  }
  return found
}

/** Stems of capitalised words that do not begin a sentence, and of the words of identifiers. */
export function listProperNames(text: string): Set<string> {
  const capitalised = /(?<=[\p{L}\p{N},;)'’] )\p{Lu}[\p{Ll}\p{M}][\p{L}\p{M}]*/gu
  const identifiers = /\p{L}+(?=_\p{L})|(?<=\p{L}_)\p{L}+/gu
  const found = [...text.matchAll(capitalised), ...text.matchAll(identifiers)]
  return new Set(found.flatMap(([name]) => listContentWords(name)).map(({ value }) => value))
}

/** With grouped digits joined and words of identifiers apart: `1,248` is 1248, `cabinClass` is cabin Class. */
function splitIdentifiers(line: string): string {
  return line
    .normalize('NFC')
    .replace(/^\s*\d{1,2}[.)] |\(\d\)/g, ' ')
    .replace(/(?<![\d.,])\d{1,3}(?:[,_'’\u00A0\u202F]\d{3})+(?!,?\d)/g, (number) => number.replace(/\D/g, ''))
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ')
    .replace(/['’]s\b/g, '')
}

/** Versions (2.4.3) and digits beyond the exact range of a number stay as they are. */
function shortenNumber(digits: string): string {
  return digits.length > 15 || digits.split('.').length > 2 ? digits : String(Number(digits))
}

/** Removes the endings of plurals and of -ing, -ed, -ly forms; the result need not be a word. */
export function stemWord(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  const singular = word
    .replace(/ie(?:s|d)$/, 'y')
    .replace(/(?<=x|ch|sh|ss|zz)es$/, '')
    .replace(/(?<![suio])s$/, '')
  const base = singular
    .replace(/(?<=[aeiouy][a-z]*[a-z])(?:ing|ed)$/, '')
    .replace(/(?<=[a-z]{4})ly$/, '')
    .replace(/([bdgmnprt])\1$/, '$1')
  return base.length > 3 ? base.replace(/e$/, '') : base
}
