/** Whether a prompt offers something as one of several to choose from: it cannot but say it. */

/** A place in a text: from, and up to. */
export interface Span {
  start: number
  end: number
}

/** Characters on each side that are looked at. */
const reach = 200

/** Beside `or`, `vs` or a slash and something of its kind, in a list of quotes, or in a list of three and more with commas. */
export function isOffered(text: string, { start, end }: Span): boolean {
  const before = text.slice(Math.max(0, start - reach), start)
  const after = text.slice(end, end + reach)
  const opening = [...before.matchAll(/[.?!:](?=\s)|[([{]/g)].at(-1)
  const left = opening === undefined ? before : before.slice(opening.index + 1)
  const [right = ''] = after.split(/[.?!](?:\s|$)|[)\]}]/, 1)
  const kind = kindOf(text.slice(start, end))
  const above = choicesIn(left.split(separator).reverse(), kind, 'end')
  const below = choicesIn(right.split(separator), kind, 'start')
  if ([above[0], below[0]].some((one) => one?.isSure)) return true
  const isList = kind !== 'words' || /^[:([]/.test(opening?.[0] ?? '') || strong.test(`${left}.${right}`)
  return isList && above.length + below.length >= 2
}

/** Between two choices; in brackets, so that a split keeps it. */
const separator = /((?:\s*[|]\s*|\s*(?<!<)\/\s*|[,;](?:\s|(?=["“])))(?:(?:or|and)\s)?|\s(?:or|and|vs\.?|versus)\s)/i
/** One that parts nothing but choices. */
const strong = /[/|]|\s(?:or|vs\.?|versus)\s/i

type Kind = 'number' | 'name' | 'words'

function kindOf(text: string): Kind {
  if (/\d/.test(text)) return 'number'
  return capital.test(text) ? 'name' : 'words'
}

const capital = /\p{Lu}[\p{L}\p{N}]/u

interface Choice {
  /** It needs no second one to make a list. */
  isSure: boolean
}

/** The two nearest, as far as they are of one kind. `parts`: what is left beside the place, then separators and texts in turn; `near`: their side that is nearer. */
function choicesIn([rest = '', ...parts]: readonly string[], kind: Kind, near: 'start' | 'end'): Choice[] {
  if (!besides[kind].test(rest)) return []
  const quotes = inQuotes[near]
  const found: Choice[] = []
  for (const at of [0, 2]) {
    const [between = '', text = ''] = parts.slice(at, at + 2)
    const words = text.split(/\s+/).filter((word) => word !== '')
    const nearest = (near === 'start' ? words.slice(0, 3) : words.slice(-3)).join(' ')
    const isStrong = strong.test(between)
    const areQuoted = quotes.place.test(rest) && quotes.choice.test(text)
    const isAlike = kind === 'words' ? words.length > 0 && (isStrong || words.length <= 4) : alike[kind].test(nearest)
    if (!isAlike && !areQuoted) break
    found.push({ isSure: isStrong || areQuoted })
  }
  return found
}

const oneWord = /^[^\p{L}\p{N}]*(?:\p{L}+[^\p{L}\p{N}]*)?$/u

/** What may stand between a choice and its separator: quotes and the like; beside a number or a name one word, as in `port 8443`. */
const besides = {
  number: oneWord,
  name: oneWord,
  words: /^[^\p{L}\p{N}]*$/u,
} satisfies Record<Kind, RegExp>

const alike = { number: /\d/, name: capital }

/** That quotes end or begin beside the place, and that a choice stands in quotes. */
const inQuotes = {
  start: { place: /^["”’'`»]/, choice: /^["“‘'`«][^"”’`»]+["”’'`»]$/ },
  end: { place: /["“‘'`«]$/, choice: /["“‘'`«][^"”’`»]+["”’'`»]$/ },
}
