/** Reads a file as text: a text file in its encoding (UTF-8, UTF-16, Windows-1252), a document by its reader. */
import { readFile, stat } from 'node:fs/promises'
import type { DocumentAnswer, Workbook } from './document_formats.ts'
import { findDocumentReader, isClosedFormat, isTextName, readEnding } from './document_formats.ts'

/** Bytes of a document, and characters of its text; nothing longer is searched. */
const limits = { bytes: 50 * 2 ** 20, characters: 20_000_000 }

/** Part of a grading's key; it changes when a file is read in another way. */
export const fileTextVersion = 2

/**
 * unreadable: it may have text, but cannot be read, and why. no_reader: what this machine lacks to read it. binary: a kind of file that
 * has no text. `document`: the text was extracted from a document. `sheets`: of a workbook.
 */
export type FileText =
  | { status: 'text'; text: string; document: boolean; sheets?: Workbook | undefined }
  | { status: 'unreadable'; reason: string }
  | { status: 'no_reader'; reason: string }
  | { status: 'binary' }

/** `name` tells the kind of the file. Rejects only when aborted, when the file is gone, or when the machine is low on a resource. */
export async function readFileText(file: string, name: string, signal: AbortSignal): Promise<FileText> {
  const reader = findDocumentReader(name)
  if (reader !== null && (await stat(file)).size > limits.bytes)
    return { status: 'unreadable', reason: `it is larger than ${limits.bytes / 2 ** 20} MiB` }
  const bytes = await readFile(file)
  if (reader !== null && !isPlainText(reader.format, bytes))
    return toFileText(await reader.read({ file, format: reader.format }, signal))
  const text = decodeText(bytes)
  if (text !== null) return { status: 'text', text, document: false }
  if (isClosedFormat(name)) return { status: 'unreadable', reason: `there is no reader for .${readEnding(name)} files` }
  return isTextName(name) ? { status: 'unreadable', reason: 'it is not text' } : { status: 'binary' }
}

/** Whether a text file has the name of a document, as a CSV file that is named report.xlsx. */
function isPlainText(format: string, bytes: Buffer): boolean {
  if (format === 'ipynb') return false
  if (format === 'pdf' && bytes.subarray(0, 1024).includes('%PDF-')) return false
  if (format !== 'pdf' && bytes.subarray(0, 2).toString('latin1') === 'PK') return false // cut so early that its bytes look like text
  return bytes.length > 0 && decodeText(bytes) !== null
}

function toFileText(read: DocumentAnswer): FileText {
  if ('missing' in read) return { status: 'no_reader', reason: read.missing }
  if ('error' in read) return { status: 'unreadable', reason: read.error }
  if (read.value.text.length > limits.characters)
    return { status: 'unreadable', reason: `its text is longer than ${limits.characters} characters` }
  return { status: 'text', document: true, ...read.value }
}

/** The text without a byte order mark; null: the bytes are not text. */
export function decodeText(bytes: Buffer): string | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return decodeWhole('utf-16le', bytes)
  if (first === 0xfe && second === 0xff) return decodeWhole('utf-16be', bytes)
  if (bytes.includes(0)) return decodeUnmarkedUtf16(bytes)
  return decodeWhole('utf-8', bytes) ?? withoutControls(decodeWindows1252(bytes))
}

/** Where Windows-1252 differs from Latin-1, from 0x80 on; Node 20's own decoder ignores the difference. A blank: no character. */
const windows1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

/** null: a byte is no character. */
function decodeWindows1252(bytes: Buffer): string | null {
  let known = true
  const text = bytes.toString('latin1').replace(/[\u0080-\u009f]/g, (found) => {
    const character = windows1252.charAt(found.charCodeAt(0) - 0x80)
    if (character === ' ') known = false
    return character
  })
  return known ? text : null
}

function decodeWhole(encoding: string, bytes: Buffer): string | null {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return text.includes('\u0000') ? null : text
  } catch {
    return null
  }
}

/** Without a mark, only if at least half of its characters are Latin, and none is a control character. */
function decodeUnmarkedUtf16(bytes: Buffer): string | null {
  const zeros = [0, 0]
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const half = bytes.length / 4
  if (even === 0 && odd >= half) return withoutControls(decodeWhole('utf-16le', bytes))
  return odd === 0 && even >= half ? withoutControls(decodeWhole('utf-16be', bytes)) : null
}

/** null: it has control characters that no text has, so it is something else. */
function withoutControls(text: string | null): string | null {
  return text !== null && /[^\P{Cc}\t\n\r\f]/u.test(text) ? null : text
}
