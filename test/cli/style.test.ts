/** Columns of a terminal: as wide as string-width says, whichever way is taken to know it. */
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { columns, textWidth } from '../../src/cli/style.ts'
import { terminalWidth } from '../../src/cli/terminal_size.ts'

const padded = (text: string) =>
  columns([
    [text, '|'],
    ['#'.repeat(12), '|'],
  ])[0]
const expected = (text: string) => `${text}${' '.repeat(12 - stringWidth(text))}  |`

test('every character by itself', () => {
  const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
  expect(all.filter((one) => padded(one) !== expected(one))).toEqual([])
})
test.each([
  '4.2 s – ±0.3',
  'größer',
  'e\u0301a',
  '日本',
  '👩‍👩‍👧',
  '✓ ⚠️',
  '©️',
  'a\u200Db',
  '\u001B[1mb\u001B[22m',
  '한국어',
])('%j', (text) => {
  expect(padded(text)).toBe(expected(text))
})
test.each([
  [0, 100, 99],
  [undefined, 100, 99],
  [80, 80, 79],
  [20, 20, 40],
])('a terminal that reports %j columns has %d, of which text fills %d', (columns, all, text) => {
  const stream = { isTTY: true, columns } as unknown as NodeJS.WriteStream
  expect([terminalWidth(stream), textWidth(stream)]).toEqual([all, text])
})
