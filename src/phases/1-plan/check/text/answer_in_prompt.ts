/** Finds out whether a prompt contains the answer word for word without needing to. */
import { collectWords, flattenText, normalizeStatement } from './word_sets.ts'

/** Answers with fewer distinct words may be choices, or part of a file name. */
const leastWords = 5

/** Matches whole words only. Short, common answers are in many prompts by chance and do not count. */
export function revealsAnswer(prompt: string, answer: string): boolean {
  const count = collectWords(answer).size
  const isTelling = count >= 3 || hasLongNumber(answer) || (count === 2 && hasName(answer))
  const wanted = normalizeStatement(answer)
  if (!isTelling || wanted === '') return false
  const text = normalizeStatement(prompt)
  const shown = flattenText(prompt).length === text.length ? flattenText(prompt) : text
  let isFound = false
  for (const start of wholeWords(text, wanted)) {
    if (count >= leastWords) return true
    const span = { start, end: start + wanted.length }
    if (isOffered(shown, span)) return false
    isFound ||= !isInFileName(shown, span)
  }
  return isFound
}

/** A number of at least four digits that is not a year. */
function hasLongNumber(text: string): boolean {
  const numbers = text.match(/\d+(?:[.,]\d+)*/g) ?? []
  return numbers.some((one) => one.replaceAll(/\D/g, '').length >= 4 && !/^(?:19|20)\d\d$/.test(one))
}

/** A capitalised word that does not begin the text. */
function hasName(text: string): boolean {
  return /\s\p{Lu}[\p{L}\p{N}]{2,}/u.test(text.trim())
}

/** Part of a file name, a path or a URL: a file extension follows, or folders precede it. */
function isInFileName(text: string, { start, end }: PromptSpan): boolean {
  const before = text.slice(Math.max(0, start - 100), start)
  const after = text.slice(end, end + 100)
  return /\/[^\s"'`“”<>()]*$/.test(before) || /^[\w./-]*\.(?:[a-z][a-z0-9]{0,4}|[A-Z]{2,4})(?!\w)/.test(after)
}

/**
 * Yields the offsets in order. Text in a script without spaces may follow a word directly.
 * Linear in the two lengths (Knuth, Morris, Pratt 1977); `indexOf` takes their product for repetitive texts.
 */
function* wholeWords(text: string, wanted: string): Generator<number> {
  const shorter = shorterStarts(wanted)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== wanted[length]) length = shorter[length - 1] ?? 0
    if (text[at] === wanted[length]) length += 1
    if (length < wanted.length) continue
    const end = at + 1
    if (isWhole(text, end - length, end)) yield end - length
    length = shorter[length - 1] ?? 0
  }
}

/** For each offset, the length of the longest proper prefix of the text that ends there. */
function shorterStarts(text: string): Uint32Array {
  const lengths = new Uint32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = lengths[length - 1] ?? 0
    if (text[at] === text[length]) length += 1
    lengths[at] = length
  }
  return lengths
}

function isWhole(text: string, start: number, end: number): boolean {
  return !wordEnds.test(text.slice(Math.max(0, start - 2), start)) && !wordGoesOn.test(text.slice(end, end + 3))
}

const wordEnds = /[\p{Script=Latin}\p{N}]$/u
const wordGoesOn = /^(?:[\p{Script=Latin}\p{N}]|[.,]\p{N})/u

/** A range in a text; `end` is exclusive. */
interface PromptSpan {
  start: number
  end: number
}

/** Characters to look at on each side. */
const reach = 200

/** Next to `or`, `vs` or a slash with a similar text, in a list of quotes, or in a comma list of three or more. */
function isOffered(text: string, { start, end }: PromptSpan): boolean {
  const before = text.slice(Math.max(0, start - reach), start)
  const after = text.slice(end, end + reach)
  const opening = [...before.matchAll(/[.?!:](?=\s)|[([{]/g)].at(-1)
  const left = opening === undefined ? before : before.slice(opening.index + 1)
  const [right = ''] = after.split(/[.?!](?:\s|$)|[)\]}]/, 1)
  const kind = classifyChoice(text.slice(start, end))
  const above = findChoices(left.split(separator).reverse(), kind, 'end')
  const below = findChoices(right.split(separator), kind, 'start')
  if ([above[0], below[0]].some((one) => one?.isSure)) return true
  const isList = kind !== 'words' || /^[:([]/.test(opening?.[0] ?? '') || strong.test(`${left}.${right}`)
  return isList && above.length + below.length >= 2
}

/** Separator between two choices; a group, so that split() keeps it. */
const separator = /((?:\s*[|]\s*|\s*(?<!<)\/\s*|[,;](?:\s|(?=["“])))(?:(?:or|and)\s)?|\s(?:or|and|vs\.?|versus)\s)/i
/** A separator that only occurs between choices. */
const strong = /[/|]|\s(?:or|vs\.?|versus)\s/i

type Kind = 'number' | 'name' | 'words'

function classifyChoice(text: string): Kind {
  if (/\d/.test(text)) return 'number'
  return capital.test(text) ? 'name' : 'words'
}

const capital = /\p{Lu}[\p{L}\p{N}]/u

interface Choice {
  /** One such choice is enough for a list. */
  isSure: boolean
}

/** Returns up to two nearest choices of one kind. `parts`: adjacent text, then separators and texts in turn; `near`: nearer side. */
function findChoices([rest = '', ...parts]: readonly string[], kind: Kind, near: 'start' | 'end'): Choice[] {
  if (!allowedNeighbours[kind].test(rest)) return []
  const quotes = quotePatterns[near]
  const found: Choice[] = []
  for (const at of [0, 2]) {
    const [between = '', text = ''] = parts.slice(at, at + 2)
    const words = text.split(/\s+/).filter((word) => word !== '')
    const nearest = (near === 'start' ? words.slice(0, 3) : words.slice(-3)).join(' ')
    const isStrong = strong.test(between)
    const areQuoted = quotes.place.test(rest) && quotes.choice.test(text)
    const isAlike =
      kind === 'words' ? words.length > 0 && (isStrong || words.length <= 4) : sameKindPatterns[kind].test(nearest)
    if (!isAlike && !areQuoted) break
    found.push({ isSure: isStrong || areQuoted })
  }
  return found
}

const oneWord = /^[^\p{L}\p{N}]*(?:\p{L}+[^\p{L}\p{N}]*)?$/u

/** Text allowed between a choice and its separator: quotes and the like; next to a number or a name one word, as in `port 8443`. */
const allowedNeighbours = {
  number: oneWord,
  name: oneWord,
  words: /^[^\p{L}\p{N}]*$/u,
} satisfies Record<Kind, RegExp>

const sameKindPatterns = { number: /\d/, name: capital }

/** `place`: a quote ends or begins next to the place. `choice`: a choice is in quotes. */
const quotePatterns = {
  start: { place: /^["”’'`»]/, choice: /^["“‘'`«][^"”’`»]+["”’'`»]$/ },
  end: { place: /["“‘'`«]$/, choice: /["“‘'`«][^"”’`»]+["”’'`»]$/ },
}
