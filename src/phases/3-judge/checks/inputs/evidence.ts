/** Formats the evidence of checks, short and printable: the deciding line with its place, or what was there instead. */
import type { FileText } from '../../documents/read_file_text.ts'
import type { CheckDecision, CheckVerdict } from './check_input.ts'

const longest = 300

/** The verdict on what the agent left and no check can look at: a fail, also where something has to be absent. */
export function failUnreadable(why: string): CheckDecision {
  return { passed: false, evidence: `unreadable: ${why}`, unreadable: true }
}

/** The verdict on a file without text. Only a missing reader is the grader's fault. */
export function decideUnreadable(name: string, read: Exclude<FileText, { status: 'text' }>): CheckVerdict {
  if (read.status === 'no_reader') return { error: `${name} could not be read: ${read.reason}` }
  return failUnreadable(`${name}: ${read.status === 'binary' ? 'it is not a text file' : capText(read.reason)}`)
}

/** The verdict on calls that the engine may hide. */
export const unseenTools = { error: 'the engine does not report which tools the agent used' }

/** The start of the text, printable, at most `limit` characters. */
export function capText(text: string, limit = longest): string {
  return text.length > limit ? `${printable(text.slice(0, limit))}…` : printable(text)
}

/** The end of the text, printable, at most `longest` characters. */
export function capTextEnd(text: string): string {
  return text.length > longest ? `…${printable(text.slice(-longest))}` : printable(text)
}

/** `label:line: the line` for the place at `index`; a long line is cut around it. */
export function quoteLine(label: string, text: string, index: number): string {
  const start = index === 0 ? 0 : text.lastIndexOf('\n', index - 1) + 1
  const end = text.indexOf('\n', index)
  const line = text.slice(start, end < 0 ? text.length : end)
  const number = text.slice(0, start).split('\n').length
  const from = line.length <= longest ? 0 : Math.max(0, index - start - 100)
  const part = `${from > 0 ? '…' : ''}${line.slice(from)}`
  return `${label}:${number}: ${capText(part.trimEnd())}`
}

/** A readable list of at most ten names, then how many more. */
export function formatNames(names: readonly string[]): string {
  if (names.length === 0) return 'nothing'
  const shown = names.slice(0, 10).map((name) => capText(name, 100))
  return names.length > 10 ? `${shown.join(', ')} and ${names.length - 10} more` : shown.join(', ')
}

/** Replaces control characters, lone surrogates and marks that reorder text by a visible mark. */
function printable(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, (found) => (/[\n\t]/.test(found) ? found : '\uFFFD'))
}
