/** Normalises text for comparing evidence (white space, case, typography, Markdown) and keeps the original offsets. */
import { visibleCode } from '../../../base/text/show_control_characters.ts'

export interface NormalizedText {
  text: string
  /** Original offset of each character of `text`. */
  offsets: Uint32Array
}

/** Marks that a judge may add or omit: emphasis, code, headings, quotes, tables. */
const droppedMarks = new Set(['*', '_', '`', '#', '>', '|', '\\'])

const typography: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201a': "'",
  '\u2032': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u201e': '"',
  '\u2033': '"',
  '\u00ab': '"',
  '\u00bb': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2212': '-',
}

/** Replacement of each UTF-16 unit: nothing, a space, or other characters. Filled on demand. */
const table: (string | undefined)[] = []

const asciiSize = 128
const asciiUnits = new Uint16Array(asciiSize)
const nothing = 0
const space = 32
for (let code = 0; code < asciiSize; code += 1) asciiUnits[code] = mapUnit(code).charCodeAt(0) || nothing

/** Normalises the text from offset `from` on. */
export function normalize(given: string, from = 0): NormalizedText {
  // a visible code of a control character is ignored, as the character itself is
  const text = given.includes('⟨U+') ? given.replaceAll(visibleCode, (code) => '#'.repeat(code.length)) : given
  let units = new Uint16Array(text.length - from + 1)
  let offsets = new Uint32Array(units.length)
  let size = 0
  let last = space
  let all = 0
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < asciiSize) {
      const unit = asciiUnits[code] ?? nothing
      if (unit === nothing || (unit === space && last === space)) continue
      units[size] = unit
      offsets[size] = at
      size += 1
      last = unit
      continue
    }
    const made = table[code] ?? rememberUnit(code)
    if (size + made.length + text.length - at > units.length) [units, offsets] = [wider(units), wider(offsets)]
    for (let index = 0; index < made.length; index += 1) {
      const unit = made.charCodeAt(index)
      all |= unit
      if (unit === space && last === space) continue
      units[size] = unit
      offsets[size] = at
      size += 1
      last = unit
    }
  }
  return { text: decodeUnits(units.subarray(0, size), all < 256), offsets: offsets.subarray(0, size) }
}

/** One byte per character where possible, because that halves the time of a search. */
function decodeUnits(units: Uint16Array, isNarrow: boolean): string {
  if (isNarrow) return Buffer.from(units).toString('latin1')
  return Buffer.from(units.buffer, 0, units.length * 2).toString('utf16le')
}

function rememberUnit(code: number): string {
  const made = mapUnit(code)
  table[code] = made
  return made
}

function mapUnit(code: number): string {
  const character = String.fromCharCode(code)
  if (/\s/.test(character)) return ' '
  if (droppedMarks.has(character) || /\p{Cc}|\p{Cf}|\p{M}/u.test(character)) return ''
  const plain = typography[character]
  if (plain !== undefined) return plain
  if (code >= 0xd800 && code <= 0xdfff) return character
  return character.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

function wider<T extends Uint16Array | Uint32Array>(values: T): T
function wider(values: Uint16Array | Uint32Array): Uint16Array | Uint32Array {
  const made = values instanceof Uint16Array ? new Uint16Array(values.length * 2) : new Uint32Array(values.length * 2)
  made.set(values)
  return made
}

export function normalText(text: string): string {
  return normalize(text).text.trim()
}
