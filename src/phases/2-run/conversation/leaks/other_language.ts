/** Finds a language or a script in a message that none of its sources uses or names. */
import type { Sources } from './sources.ts'
import { detectLanguage } from './words.ts'

const scripts: readonly { name: string; letters: RegExp; named: RegExp }[] = [
  {
    name: 'Chinese or Japanese',
    letters: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu,
    named: /chinese|mandarin|japanese|chinesisch|japanisch/i,
  },
  { name: 'Korean', letters: /\p{Script=Hangul}/gu, named: /korean/i },
  {
    name: 'a Cyrillic script',
    letters: /\p{Script=Cyrillic}/gu,
    named: /russian|ukrainian|bulgarian|serbian|russisch/i,
  },
  { name: 'Greek', letters: /\p{Script=Greek}/gu, named: /greek/i },
  { name: 'Arabic', letters: /\p{Script=Arabic}/gu, named: /arabic|persian|urdu/i },
  { name: 'Hebrew', letters: /\p{Script=Hebrew}/gu, named: /hebrew/i },
  {
    name: 'an Indian script',
    letters: /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}]/gu,
    named: /hindi|bengali|tamil|marathi/i,
  },
  { name: 'Thai', letters: /\p{Script=Thai}/gu, named: /thai/i },
]

const languageNames: Readonly<Record<string, { name: string; named: RegExp }>> = {
  en: { name: 'English', named: /english|englisch|anglais|inglés/i },
  de: { name: 'German', named: /german|deutsch|allemand|austria|swiss/i },
  fr: { name: 'French', named: /french|français|französisch|france|paris|canad/i },
  es: { name: 'Spanish', named: /spanish|español|spanisch|spain|mexic/i },
}

/** Words of a language that make it certain. */
const enoughMarks = 4

export function findOtherLanguage(message: string, sources: Sources): string[] {
  const script = scripts.find(({ letters, named }) => {
    const isNew = (message.match(letters)?.length ?? 0) >= 3 && sources.text.match(letters) === null
    return isNew && !named.test(sources.text)
  })
  if (script !== undefined) return [script.name]
  const own = detectLanguage(message)
  const theirs = detectLanguage(sources.text)
  if (own === null || theirs === null || own.language === theirs.language || own.marks < enoughMarks) return []
  const known = languageNames[own.language]
  return known === undefined || known.named.test(sources.text) || isUsed(own.language, sources.text) ? [] : [known.name]
}

/** Whether some line of the sources is in this language. */
function isUsed(language: string, text: string): boolean {
  return text.split('\n').some((line) => {
    const found = detectLanguage(line)
    return found?.language === language && found.marks >= 3
  })
}
