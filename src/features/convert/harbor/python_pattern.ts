/** Rewrites a JavaScript regular expression for Python's `re`, with the same matches; refuses what has no equivalent there. */

export type PythonPattern = { pattern: string } | { reason: string }

class NoEquivalent extends Error {}

/** Characters of \d, \w, \s and their opposites in JavaScript, as content of a Python class. */
const sets: ReadonlyMap<string, string> = new Map([
  ['\\d', '0-9'],
  ['\\D', '\\x00-/:-\\U0010ffff'],
  ['\\w', '0-9A-Z_a-z'],
  ['\\W', '\\x00-/:-@\\[-\\^`\\{-\\U0010ffff'],
  ['\\s', '\\t-\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'],
  [
    '\\S',
    '\\x00-\\x08\\x0e-\\x1f!-\\x9f\\xa1-\\u167f\\u1681-\\u1fff\\u200b-\\u2027\\u202a-\\u202e\\u2030-\\u205e\\u2060-\\u2fff\\u3001-\\ufefe\\uff00-\\U0010ffff',
  ],
])

const wordEdge = '(?a:\\b)'
const lineEnds = '\\n\\r\\u2028\\u2029'
const escapes = String.raw`\\k<[^>]+>|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[a-zA-Z]|\\\d+|\\[\s\S]`
/** Escapes, classes, starts of groups, counts, or one character. */
const tokens = new RegExp(
  String.raw`${escapes}|\[\^?(?:\\[\s\S]|[^\]\\])*\]|\(\?<[=!]|\(\?<[^>]+>|\(\?[:=!]|\(\?|\{\d+(?:,\d*)?\}|[\s\S]`,
  'gu',
)
const classTokens = new RegExp(`${escapes}|[\\s\\S]`, 'gu')

/** `flags`: any of i, m, s, u. */
export function toPythonPattern(source: string, flags: string): PythonPattern {
  try {
    const writer = new PatternWriter(flags)
    const body = [...source.matchAll(tokens)].map(([token]) => writer.write(token)).join('')
    return { pattern: flags.includes('i') ? `(?i)${body}` : body }
  } catch (error) {
    if (error instanceof NoEquivalent) return { reason: error.message }
    throw error
  }
}

class PatternWriter {
  private readonly open: ('group' | 'lookbehind')[] = []
  /** Number of capturing groups so far. */
  private captured = 0
  private readonly flags: string

  constructor(flags: string) {
    this.flags = flags
  }

  write(token: string): string {
    if (/^[|*+?]$|^\{\d/.test(token) && this.open.includes('lookbehind')) {
      throw new NoEquivalent("a lookbehind of variable length, which Python's re lacks")
    }
    if (token.startsWith('(')) return this.startGroup(token)
    if (token.startsWith('[')) return writeClass(token, this.flags)
    if (token.startsWith('\\')) return this.writeEscape(token)
    if (token === ')') this.open.pop()
    return this.writeCharacter(token)
  }

  private startGroup(token: string): string {
    if (token === '(?') throw new NoEquivalent("a kind of group that Python's re lacks")
    this.open.push(/^\(\?<[=!]/.test(token) ? 'lookbehind' : 'group')
    if (/^\(\?(?:[:=!]|<[=!])/.test(token)) return token
    this.captured += 1
    return token === '(' ? token : `(?P<${pythonName(token.slice(3, -1))}>`
  }

  private writeCharacter(token: string): string {
    const isMultiline = this.flags.includes('m')
    switch (token) {
      case '.':
        return this.flags.includes('s') ? '(?s:.)' : `[^${lineEnds}]`
      case '^':
        return isMultiline ? `(?:\\A|(?<=[${lineEnds}]))` : '\\A'
      case '$':
        return isMultiline ? `(?=[${lineEnds}]|\\Z)` : '\\Z'
      case '{':
      case '}':
      case ']':
        return `\\${token}`
      default:
        return token
    }
  }

  private writeEscape(token: string): string {
    const set = sets.get(token)
    if (set !== undefined) return `[${set}]`
    if (token === '\\b') return wordEdge
    if (token === '\\B') return `(?!${wordEdge})` // some versions of Python do not match \B in an empty text
    const name = /^\\k<([^>]+)>$/.exec(token)?.[1]
    if (name !== undefined) return `(?(${pythonName(name)})(?P=${name})|)`
    if (/^\\[1-9]/.test(token)) {
      const number = Number(token.slice(1))
      if (number > this.captured) throw new NoEquivalent(`${token}, which refers to no earlier group`)
      return `(?(${number})\\${number}|)` // a group that matched nothing counts as empty
    }
    return writeLiteralEscape(token, this.flags)
  }
}

function pythonName(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new NoEquivalent(`the group name ${name}`)
  return name
}

/** An escape that stands for one character, outside and inside of a class. */
function writeLiteralEscape(token: string, flags: string): string {
  if (/^\\[tnrfv]$/.test(token) || /^\\x../.test(token)) return token
  if (token === '\\0') return '\\x00'
  if (/^\\c./.test(token)) return codeEscape((token.codePointAt(2) ?? 0) % 32)
  const code = /^\\u\{?([0-9a-fA-F]+)\}?$/.exec(token)?.[1]
  if (code !== undefined && (flags.includes('u') || !token.includes('{'))) return codeEscape(Number.parseInt(code, 16))
  if (/^\\[pPu\d]/.test(token)) throw new NoEquivalent(`${token.slice(0, 2)}, which Python's re reads otherwise`)
  return quoteCharacter(token.slice(1))
}

function codeEscape(code: number): string {
  if (code >= 0xd800 && code <= 0xdfff) throw new NoEquivalent('half of a surrogate pair')
  return `\\U${code.toString(16).padStart(8, '0')}`
}

/** Only ASCII punctuation may have a backslash. */
function quoteCharacter(character: string): string {
  return /^[!-/:-@[-`{-~]$/.test(character) && character !== '_' ? `\\${character}` : character
}

function writeClass(token: string, flags: string): string {
  const isNegated = token.startsWith('[^')
  const inner = [...token.slice(isNegated ? 2 : 1, -1).matchAll(classTokens)].map(([one]) => one)
  if (inner.length === 0) return isNegated ? '(?s:.)' : '(?!)'
  const written = inner.map((one, index) => {
    if (one === '-') return isRangeDash(inner, index) ? '-' : '\\-'
    if (one === '\\b') return '\\x08'
    return sets.get(one) ?? (one.startsWith('\\') ? writeLiteralEscape(one, flags) : quoteCharacter(one))
  })
  return `[${isNegated ? '^' : ''}${written.join('')}]`
}

function isRangeDash(inner: readonly string[], index: number): boolean {
  const [before, after] = [inner[index - 1], inner[index + 1]]
  if (before === undefined || after === undefined || sets.has(before) || sets.has(after)) return false
  return !(inner[index - 2] === '-' && isRangeDash(inner, index - 2))
}
