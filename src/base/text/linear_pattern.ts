/** Rewrites a JavaScript regular expression for RE2, which needs time in proportion to the text, with the same matches. */
import { attempt } from '../errors/attempt.ts'

export interface LinearPattern {
  source: string
  ignoreCase: boolean
  /** RE2 knows only \n as the end of a line; JavaScript also \r, U+2028 and U+2029. */
  needsPlainLines: boolean
}

class NoEquivalent extends Error {}

const spaces = '\\t-\\r \\xa0\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const notSpaces =
  '\\x00-\\x08\\x0e-\\x1f!-\\x9f\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'
/** Content of a class. */
const sets: ReadonlyMap<string, string> = new Map([
  ...['d', 'D', 'w', 'W'].map((letter) => [letter, `\\${letter}`] as const),
  ['s', spaces],
  ['S', notSpaces],
])
const controls: ReadonlyMap<string, number> = new Map([
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
  ['f', 12],
  ['0', 0],
])

const escaped = String.raw`\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\c[a-z]|\\[pP]\{[^}]*\}|\\\d+|\\[\s\S]`
/** An escape, a start of a group, a count, or one character. */
const token = new RegExp(String.raw`${escaped}|\(\?<[^=!][^>]*>|\(\?(?:<?[=!]|:)?|\{\d+(?:,\d*)?\}|[\s\S]`, 'iuy')
const classToken = new RegExp(`${escaped}|[\\s\\S]`, 'iuy')

/** `flags`: any of i, m, s, u. null: RE2 cannot run it, such as (?=…) or \1. An invalid pattern may have any result. */
export function toLinearPattern(source: string, flags: string): LinearPattern | null {
  return attempt(
    () => new PatternReader(source, flags).read(),
    null,
    (error) => error instanceof NoEquivalent,
  )
}

class PatternReader {
  private readonly source: string
  private readonly flags: string
  private at = 0
  private hasLines = false

  constructor(source: string, flags: string) {
    this.source = source
    this.flags = flags
  }

  read(): LinearPattern {
    let written = ''
    while (this.at < this.source.length) written += this.writeNext()
    return { source: written, ignoreCase: this.flags.includes('i'), needsPlainLines: this.hasLines }
  }

  private take(form: RegExp): string {
    form.lastIndex = this.at
    const [one = ''] = form.exec(this.source) ?? []
    this.at += one.length
    return one
  }

  private writeNext(): string {
    const one = this.take(token)
    if (one === '[') return this.writeClass()
    if (one.startsWith('\\')) return this.writeEscape(one)
    if (one.startsWith('(')) return writeGroup(one)
    if (/^\{\d/.test(one) || '|)*+?'.includes(one)) return one
    if (one === '.') return this.flags.includes('s') ? '(?s:.)' : '[^\\n\\r\\x{2028}\\x{2029}]'
    if (one !== '^' && one !== '$') return writeCharacter(readCharacter(one))
    if (!this.flags.includes('m')) return one === '^' ? '\\A' : '\\z'
    this.hasLines = true
    return `(?m:${one})`
  }

  private writeEscape(one: string): string {
    const letter = one.slice(1)
    if (letter === 'b' || letter === 'B') return one
    const set = sets.get(letter)
    if (set !== undefined) return `[${set}]`
    if (/^[pP]\{/.test(letter)) return this.writeProperty(one)
    return writeCharacter(this.readEscape(one))
  }

  /** Without the flag u, these are other characters. */
  private writeProperty(one: string): string {
    if (!this.flags.includes('u')) throw new NoEquivalent(one)
    return one
  }

  private readEscape(one: string): number {
    const letter = one.slice(1)
    const control = controls.get(letter)
    if (control !== undefined) return control
    const pair = /^u(d[89ab]..)\\u(....)$/i.exec(letter)
    if (pair) return readCharacter(String.fromCharCode(...pair.slice(1).map((half) => Number.parseInt(half, 16))))
    if (/^u\{/.test(letter) && this.flags.includes('u')) return Number.parseInt(letter.slice(2, -1), 16)
    if (/^(?:u[0-9a-f]{4}|x[0-9a-f]{2})$/i.test(letter)) return Number.parseInt(letter.slice(1), 16)
    if (/^c[a-z]$/i.test(letter)) return letter.charCodeAt(1) % 32
    if (/^(?:\d|[kux]|c$)/.test(letter) || /^[pP]$/.test(letter)) throw new NoEquivalent(one)
    return readCharacter(letter)
  }

  private writeClass(): string {
    const isNegated = this.source[this.at] === '^'
    if (isNegated) this.at += 1
    let content = ''
    for (let one = this.take(classToken); one !== ']'; one = this.take(classToken)) {
      if (one === '') throw new NoEquivalent('a class without end')
      content += this.writeMember(one)
    }
    if (content === '') return isNegated ? '(?s:.)' : '[^\\x00-\\x{10ffff}]'
    return `[${isNegated ? '^' : ''}${content}]`
  }

  /** A set, or a character with the rest of its range. */
  private writeMember(one: string): string {
    const first = this.readMember(one)
    if (typeof first === 'string') return first
    const start = this.at
    const last =
      this.take(classToken) === '-' && this.source[this.at] !== ']' ? this.readMember(this.take(classToken)) : null
    if (typeof last === 'number') return `${writeCharacter(first)}-${writeCharacter(last)}`
    this.at = start
    return writeCharacter(first)
  }

  private readMember(one: string): number | string {
    const letter = one.slice(1)
    if (!one.startsWith('\\')) return readCharacter(one)
    if (letter === 'b') return 8
    if (/^[pP]\{/.test(letter)) return this.writeProperty(one)
    return sets.get(letter) ?? this.readEscape(one)
  }
}

function writeGroup(one: string): string {
  if (one === '(' || one === '(?:') return one
  if (/^\(\?<[^=!]/.test(one)) return '('
  throw new NoEquivalent(one)
}

function readCharacter(one: string): number {
  return one.codePointAt(0) ?? 0
}

function writeCharacter(code: number): string {
  if (code >= 0xd800 && code <= 0xdfff) throw new NoEquivalent('half of a character')
  const one = String.fromCodePoint(code)
  return /[\w ]/.test(one) ? one : `\\x{${code.toString(16)}}`
}
