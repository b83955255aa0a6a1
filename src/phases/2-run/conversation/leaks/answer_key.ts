/** Finds phrases of the answer key in a message that none of its sources has. */
import { fold, type Sources } from './sources.ts'
import { findNewWords, joinWords, splitWords, type Word } from './words.ts'

/** Words in a row that are no accident. */
const runLength = 6
/** Words within which two rare words make a phrase. */
const phraseWindow = 6
/** Chinese and Japanese characters in a row. */
const hanRunLength = 6
const hanNameLength = 4

/** The phrases and words, as written in the message; each key text is searched alone. */
export function findKeyPhrases(message: string, key: readonly string[], sources: Sources): string[] {
  const words = splitWords(message)
  return [
    ...new Set(key.flatMap((text) => [...findInKey(words, text, sources), ...findHanRun(message, text, sources)])),
  ]
}

function findInKey(words: readonly Word[], text: string, sources: Sources): string[] {
  const keyWords = splitWords(text)
  const run = findRun(words, keyWords, sources)
  if (run !== null) return [run]
  const rare = findNewWords(keyWords, sources.stems)
  const rareStems = new Set(rare.map(({ stem }) => stem))
  const hits = words.filter(({ stem, text: word }) => word.length >= 4 && rareStems.has(stem))
  const distinct = new Set(hits.map(({ stem }) => stem))
  const named = new Set(rare.filter((word) => isSpecific(word, text)).map(({ stem }) => stem))
  const specific = hits.filter(({ stem }) => named.has(stem))
  if (specific.length > 0) return specific.map((word) => word.text)
  const pairs = distinct.size === 0 ? [] : findNewPairs(words, keyWords, sources)
  if (distinct.size >= 3 || pairs.length > 0 || isPhrase(hits, words, keyWords))
    return [hits.map((word) => word.text).join(' … ')]
  return []
}

/** A name or a term: with a capital inside or in the middle of a sentence, or marked as code. */
function isSpecific({ text, at, startsSentence }: Word, key: string): boolean {
  if (/\p{Ll}\p{Lu}/u.test(text) || /^\p{Lu}{3,}$/u.test(text)) return true
  if (key[at - 1] === '`') return true
  return /^\p{Lu}\p{Ll}/u.test(text) && !startsSentence && !isGermanLike(key)
}

function isGermanLike(text: string): boolean {
  return /\b(?:und|der|das|nicht|ist|mit|für|ein|eine|den|dem|wird)\b/.test(text)
}

/** Words that are next to each other in the message and the key, at least one of them in no source, such as "credit notes". */
function findNewPairs(words: readonly Word[], keyWords: readonly Word[], sources: Sources): string[] {
  const toPairs = (list: readonly Word[]) =>
    list.slice(1).flatMap((word, at) => {
      const before = list[at]
      const isLong = before !== undefined && before.text.length >= 4 && word.text.length >= 4
      return isLong ? [{ text: ` ${before.stem} ${word.stem} `, stems: [before.stem, word.stem] }] : []
    })
  const ofKey = new Set(toPairs(keyWords).map(({ text }) => text))
  const isNew = (stems: readonly string[]) => stems.some((stem) => !sources.stems.has(stem))
  return toPairs(words).flatMap(({ text, stems }) => (ofKey.has(text) && isNew(stems) ? [text] : []))
}

/** Two rare words close to each other in both texts. */
function isPhrase(hits: readonly Word[], words: readonly Word[], keyWords: readonly Word[]): boolean {
  const areNear = (list: readonly Word[], one: string, other: string) => {
    const places = list.flatMap(({ stem }, at) => (stem === one ? [at] : []))
    const others = list.flatMap(({ stem }, at) => (stem === other ? [at] : []))
    return places.some((place) => others.some((at) => Math.abs(at - place) <= phraseWindow))
  }
  const stems = [...new Set(hits.map(({ stem }) => stem))]
  return stems.some((one, index) =>
    stems.slice(index + 1).some((other) => areNear(words, one, other) && areNear(keyWords, one, other)),
  )
}

/** Words in a row that the key has in the same order and no source has; half of them are long, and one of those is in no source. */
function findRun(words: readonly Word[], keyWords: readonly Word[], sources: Sources): string | null {
  const key = joinWords(keyWords)
  for (let from = 0; from + runLength <= words.length; from += 1) {
    const part = words.slice(from, from + runLength)
    const said = joinWords(part)
    const long = part.filter(({ text }) => text.length >= 4)
    const isNew = long.length * 2 >= runLength && long.some(({ stem }) => !sources.stems.has(stem))
    if (isNew && key.includes(said) && !sources.hasWords(said)) return said.trim()
  }
  return null
}

const hanRun = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu

/** Finds runs of characters that are in the key and in no source: six characters if half of their pairs are new, four if all are. */
function findHanRun(message: string, key: string, sources: Sources): string[] {
  const foldedKey = fold(key)
  const known = fold(sources.text)
  const isNewRun = (part: string, share: number) => {
    if (!foldedKey.includes(part) || known.includes(part)) return false
    const pairs = Array.from({ length: part.length - 1 }, (_, at) => part.slice(at, at + 2))
    return pairs.filter((pair) => !known.includes(pair)).length >= pairs.length * share
  }
  for (const [run] of message.matchAll(hanRun)) {
    for (let from = 0; from + hanNameLength <= run.length; from += 1) {
      const [long, short] = [run.slice(from, from + hanRunLength), run.slice(from, from + hanNameLength)]
      if (long.length === hanRunLength && isNewRun(long, 0.5)) return [long]
      if (!/\p{Script=Hiragana}/u.test(short) && isNewRun(short, 1)) return [short]
    }
  }
  return []
}
