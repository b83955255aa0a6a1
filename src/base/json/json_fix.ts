/** Suggests how to fix a syntax error in JSON, from what is written at its place. */

interface SyntaxMistake {
  text: string
  /** Of the mistake in the text. */
  offset: number
  /** The parser's message. */
  message: string
}

export function jsonFix({ text, offset, message }: SyntaxMistake): string {
  const before = text.slice(0, offset).trimEnd()
  const [next = ''] = text.slice(offset)
  if (text.trim() === '') return 'write a JSON value there, such as {}'
  if (before.endsWith(',') && (next === ']' || next === '}')) return `remove the comma before "${next}"`
  if (before.endsWith(',') && next === ',') return 'remove one of the two commas'
  if (next === "'") return 'use double quotes instead of single quotes'
  if (next === '/' || next === '#') return 'remove the comment: JSON has no comments'
  return fixByMessage.find(({ form }) => form.test(message))?.fix ?? fixByNext(next)
}

const fixByMessage: readonly { form: RegExp; fix: string }[] = [
  { form: /^Unterminated string/, fix: 'close the quote' },
  { form: /^Expected ',' or/, fix: 'add a comma there, or close the bracket' },
  { form: /^Expected ':'/, fix: 'add a colon after the name' },
  { form: /property name/, fix: 'put the name in double quotes' },
  { form: /^Bad control character/, fix: 'write \\n instead of a line break, \\t instead of a tab' },
  { form: /^Bad (escaped character|Unicode escape)/, fix: 'write \\\\ for a backslash' },
  { form: /after JSON/, fix: 'remove the text after the end of the value' },
]

function fixByNext(next: string): string {
  if (next === '') return 'add what is missing at the end, such as a closing bracket'
  if (/[a-z]/i.test(next)) return 'put text in double quotes; without them only true, false, null and numbers are valid'
  return `remove or replace "${next}" there`
}
