/** Checks a message of the simulated user: it may say nothing that is not in its goal, its facts or the dialogue. */
import type { SimulatedUser } from '../../../../schemas/conversation.ts'
import { findKeyPhrases } from './leaks/answer_key.ts'
import { findNewDetails } from './leaks/details.ts'
import { fold, openSources, type Sources } from './leaks/sources.ts'
import { detectLanguage, findNewWords, splitWords } from './leaks/words.ts'
import type { SaidSoFar } from './partner.ts'

export interface GuardedMessage {
  message: string
  user: SimulatedUser
  dialogue: SaidSoFar
  answerKey: readonly string[]
}

/** What is too much in the message, in plain words for the model that wrote it; empty: nothing. */
export function findLeaks({ message, user, dialogue, answerKey }: GuardedMessage): string[] {
  const { goal, facts = [], persona = '', stop = '' } = user
  const said = dialogue.turns.flatMap(({ prompt, answer }) => [prompt, answer])
  const sources = openSources([goal, ...facts, persona, stop, ...said].map(removeHidden))
  const text = removeHidden(message.normalize('NFKC'))
  return [
    ...findKeyPhrases(text, answerKey, sources).map((part) => `words that are not yours: ${part}`),
    ...findNewDetails(text, sources).map((part) => `a detail that you do not know: ${part}`),
    ...findAgentWork(text, sources).map((part) => `work that is the assistant's: ${part}`),
    ...findOtherLanguage(text, sources).map((part) => `a language of neither you nor the assistant: ${part}`),
    ...findInventions(text, sources).map((part) => `things that are in none of your facts: ${part}`),
  ]
}

/** Removes invisible characters, which could split a word. */
function removeHidden(text: string): string {
  return text.replaceAll(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, '')
}

/** Words that are neither everyday nor in a source; an honest answer in other words has fewer. */
const mostNewWords = 5
const largestShare = 0.3

/** The new words, if there are too many. Only in languages whose everyday words are known. */
function findInventions(message: string, sources: Sources): string[] {
  const language = sources.language(message)
  if (language !== 'en' && language !== 'de') return []
  const words = splitWords(message)
  const found = findNewWords(words, sources.stems)
  const distinct = [...new Map(found.map((word) => [word.stem, word.text])).values()]
  if (distinct.length < mostNewWords || found.length < words.length * largestShare) return []
  return [distinct.join(', ')]
}

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

function findOtherLanguage(message: string, sources: Sources): string[] {
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

/** What was found, in plain words; empty: nothing. */
function findAgentWork(message: string, sources: Sources): string[] {
  const own = removeKnownLines(message, sources)
  const found = kinds.filter(({ find }) => find(own, sources)).map(({ name }) => name)
  const talk = testTalk.exec(own)?.[0]
  return talk === undefined || sources.hasText(talk) ? found : [...found, `talk of the test ("${talk}")`]
}

/** Without what the prompt or the facts have letter by letter, such as a log that the user asks about. */
function removeKnownLines(message: string, sources: Sources): string {
  const lines = message.split('\n')
  return lines.filter((line) => fold(line).length < 8 || !sources.hasText(line)).join('\n')
}

const kinds: readonly { name: string; find: (text: string, sources: Sources) => boolean }[] = [
  { name: 'a block of code', find: (text) => /^\s*(?:```|~~~)/m.test(text) && withoutFences(text) !== '' },
  { name: 'code', find: (text) => countLines(text, codeLine) >= 2 || inlineCode.test(text) },
  { name: 'a shell command', find: (text) => shellCommand.test(text) },
  { name: 'a table', find: (text) => countLines(text, /^\s*\|.*\|.*\|\s*$/) >= 2 },
  { name: 'data in a format for programs', find: (text) => /\{\s*"[\w-]+"\s*:|<\w+[^<>]*>[\s\S]*<\/\w+>/.test(text) },
  { name: 'a document', find: isDocument },
  { name: 'instructions how to do the task', find: isInstruction },
]

function withoutFences(text: string): string {
  return text.replaceAll(/^\s*(?:```|~~~)\w*\s*$/gm, '').trim()
}

const codeLine =
  /^\s*(?:(?:const|let|var|def|function|class|import|from|return|public|private|if|for|while|SELECT|INSERT|UPDATE|#include|package|func|fn)\b.*[;:{(=*]\s*\S*$|.*[;{}]\s*$|.*\w+\([^)]*\)\s*[;{:]?\s*$|<\/?\w+[^>]*>\s*$)/
const inlineCode =
  /\b(?:SELECT\s+[\w*,\s]+\s+FROM\s+\w+|\w+\.\w+\([^)\n]*\)|(?:const|let|var)\s+\w+\s*=|def\s+\w+\(|function\s*\w*\(|=\s*(?:SUM|IF|VLOOKUP|AVERAGE)\(|=>\s*\{)/
const shellCommand =
  /(?:^|\n|[`$:]\s?)\s*(?:\$\s+\w|(?:sudo|npm|npx|pip3?|git|curl|wget|docker|kubectl|cd|rm|mkdir|chmod|python3?|node|bash|sh|grep|sed|awk|cat|ls)\s+(?:-{1,2}\w|\S+\.(?:py|js|mjs|ts|sh|txt|md|csv)\b|(?:install|commit|clone|push|run|build|add|checkout|init|exec)\b))|\b(?:npm|pip3?|brew|apt(?:-get)?)\s+install\s+\S|\bgit\s+(?:clone|commit|push|checkout)\s+\S|\b(?:curl|grep|sed|rm|tar)\s+-{1,2}\w+/

function countLines(text: string, pattern: RegExp): number {
  return text.split('\n').filter((line) => pattern.test(line)).length
}

/** Words of a message that are a document and no answer. */
const documentWords = 220
const documentCharacters = 700

function isDocument(text: string): boolean {
  const headings = countLines(text, /^#{1,4}\s+\S/)
  const hanCharacters = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0
  return headings >= 2 || splitWords(text).length > documentWords || hanCharacters > documentCharacters
}

const directives = [
  /\b(?:you|your (?:answer|output|report|reply|document|summary|file|response)) (?:should|must|need to|have to|ought to) (?:first |then |also |always |never |not )?(?:use|write|compute|calculate|create|make|put|include|add|start|begin|end|group|sort|check|read|run|call|mention|contain|list|name|follow|output|format|round|convert|sum|multiply|divide|open|save)\b/i,
  /\b(?:make sure|be sure|remember|don't forget|do not forget|ensure) (?:to|that you|you|it)? ?(?:use|write|compute|calculate|include|add|group|sort|run|call|mention|list|round|convert|output|save|ask|put|follow)\b/i,
  /\b(?:first|step 1|step one)[,:]? .{3,160}\b(?:then|next|step 2|step two)[,:]? .{3,160}\b(?:finally|lastly|after that|then|step 3|step three)\b/is,
  /\b(?:du solltest|sie sollten|du musst|sie müssen|achte darauf|achten sie darauf|vergiss nicht|denk daran|denken sie daran)\b.{0,80}\b(?:schreib|berechn|verwend|benutz|erstell|sortier|gruppier|füg|rund|les|nenn|frag|multiplizier|addier|teil)/i,
  /\b(?:zuerst|schritt 1)\b.{3,160}\b(?:dann|danach|schritt 2)\b.{3,160}\b(?:zum schluss|schließlich|am ende|schritt 3)\b/is,
  /(?:首先|第一步).{2,80}(?:然后|接着|第二步).{2,80}(?:最后|第三步)/su,
  /(?:まず|最初に).{2,80}(?:次に|それから).{2,80}(?:最後に)/su,
]

/** An order to the assistant that brings words of its own: a fact or a wish in such a form is none. */
function isInstruction(text: string, sources: Sources): boolean {
  const isNew = findNewWords(splitWords(text), sources.stems).length >= 2 || !/\p{Script=Latin}/u.test(text)
  return isNew && directives.some((directive) => directive.test(text))
}

/** Words that only someone uses who knows of the test. */
const testTalk =
  /\b(?:fact sheet|answer key|expected (?:output|answer|result)|correct answer (?:is|would)|right answer is|reference answer|model answer|simulated user|user simulator|my (?:instructions|facts) (?:say|tell|are)|system prompt|as an ai\b|as a language model|test case|test scenario|eval(?:uation)? (?:case|criteria|suite)|rubric|grader|grading|the judge|you(?:'ll| will) (?:pass|be graded|be scored)|SKILL\.md|skill file|with_skill|without_skill|lösungsschlüssel|erwartete (?:ausgabe|antwort)|musterlösung|bewertungskriterien|标准答案|评分标准|期望输出|模範解答|採点基準)/i
