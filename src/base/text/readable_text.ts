/** Resolves hidden characters, lookalike letters and encodings, so that rules for plain English match what a model reads. */

export interface ReadableText {
  text: string
  /** The line, from 0, of an index in `text`. */
  lineAt(index: number): number
  /** How it differs from the file's text. */
  hidden: 'no' | 'invisible' | 'encoded'
}

/** Returns the plain text, then versions with hidden characters and encodings resolved, if there are any. */
export function readableVersions(raw: string): ReadableText[] {
  const plain = withoutMarks(raw)
  const shown = withoutMarks(resolveLetters(revealHidden(raw)))
  const hidden = hiddenCharacter.test(raw) ? 'invisible' : 'encoded'
  return [readable(plain, 'no'), ...(shown === plain ? [] : [readable(shown, hidden)]), ...decodedBase64(raw)]
}

function readable(text: string, hidden: ReadableText['hidden']): ReadableText {
  return {
    // joins the lines of a sentence, keeping the length so that offsets stay valid
    text: text.replaceAll(/(?<![\n])\n(?![\n])/g, '\u2028'),
    hidden,
    lineAt: (index) => text.slice(0, index).split('\n').length - 1,
  }
}

/** Removes emphasis and code marks; a sentence in code marks becomes a quote. */
function withoutMarks(text: string): string {
  return text
    .replaceAll(/`([^`\n]* [^`\n]* [^`\n]*)`/g, '"$1"')
    .replaceAll(/[*`~]|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
}

const tagStart = 0xe0000
const hiddenLetters = /[\u{e0020}-\u{e007e}]/gu
/** Invisible characters, also in the visible form of a transcript. */
const hiddenCharacter =
  /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|\u27e8U\+(?:200[EF]|202[A-E]|206[6-9])\u27e9/u
const allHidden = new RegExp(hiddenCharacter.source, 'gu')

function revealHidden(text: string): string {
  return text
    .replaceAll(hiddenLetters, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? tagStart) - tagStart))
    .replaceAll(allHidden, '')
}

/** Letters of other scripts that look like Latin ones. */
const lookalikes: Readonly<Record<string, string>> = Object.fromEntries(
  [...'аеіјорсухѕԁһӏνοικρτυАВЕКМНОРСТХІЈЅΑΒΕΗΙΚΜΝΟΡΤΧΥΖ'].map((letter, at) => [
    letter,
    [...'aeijopcyxsdhlvoikptuABEKMHOPCTXIJSABEHIKMNOPTXYZ'][at] ?? letter,
  ]),
)

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' }

/** Resolves full-width and mathematical letters, lookalikes, HTML entities, \uXXXX and %XX. Keeps every line end. */
function resolveLetters(text: string): string {
  return text
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos|nbsp));/gi, (all, decimal, hex, name) => {
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? all
      return decodeLetter(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)) ?? all
    })
    .replaceAll(/\\u([\da-f]{4})/gi, (all, hex) => decodeLetter(Number.parseInt(hex, 16)) ?? all)
    .replaceAll(/%([2-7][\da-f])/gi, (all, hex) => decodeLetter(Number.parseInt(hex, 16)) ?? all)
    .normalize('NFKC')
    .replaceAll(/[\u0370-\u052f]/g, (letter) => lookalikes[letter] ?? letter)
}

function decodeLetter(code: number): string | null {
  if (code < 32 || code > 0x10ffff) return null
  return String.fromCodePoint(code)
}

/** Base64 that decodes to words, also over several lines and in the URL form. */
function decodedBase64(raw: string): ReadableText[] {
  const found: ReadableText[] = []
  for (const { 0: encoded, index } of raw.matchAll(/(?:[\w+/-]{20,200}\r?\n){0,50}[\w+/-]{24,4096}={0,2}/g)) {
    const text = Buffer.from(encoded, 'base64').toString('utf8')
    if (/(?![\n\r\t])\p{Cc}|\ufffd/u.test(text) || !/[a-z]+ [a-z]+/i.test(text)) continue
    found.push({ text, hidden: 'encoded', lineAt: () => raw.slice(0, index).split('\n').length - 1 })
  }
  return found
}
