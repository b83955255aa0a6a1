/** Columns of a terminal: how many a text takes, and how many there are. */
import { expect, test } from 'vitest'
import { alignColumns, textWidth } from '../../../src/cli/terminal/style.ts'
import { terminalWidth } from '../../../src/cli/terminal/terminal_size.ts'

test.each([
  ['größer', 6],
  ['e\u0301a', 2],
  ['日本', 4],
  ['👩‍👩‍👧', 2],
])('%j takes %d columns', (text, width) => {
  const rows = [
    [text, '|'],
    ['#'.repeat(12), '|'],
  ]
  expect(alignColumns(rows)[0]).toBe(`${text}${' '.repeat(12 - width)}  |`)
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
