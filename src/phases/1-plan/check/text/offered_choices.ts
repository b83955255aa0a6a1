/** Finds out whether a prompt offers a text as one of several choices, so that it has to contain it. */

/** A range in a text; `end` is exclusive. */
export interface PromptSpan {
  start: number
  end: number
}

/** Characters to look at on each side. */
const reach = 200

/** Next to `or`, `vs` or a slash with a similar text, in a list of quotes, or in a comma list of three or more. */
export function isOffered(text: string, { start, end }: PromptSpan): boolean {
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
