/** Notes of two benchmarks on one page: six in all. */
import { expect, test } from 'vitest'
import { limitNotesOfTwo } from '../../../../src/phases/4-report/notes/limit_notes.ts'

const notes = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at + 1}`)

test.each([
  [6, 6, 'A1 A2 A3 B1 B2 B3'],
  [1, 6, 'A1 B1 B2 B3 B4 B5'],
  [6, 1, 'A1 A2 A3 A4 A5 B1'],
  [2, 2, 'A1 A2 B1 B2'],
  [6, 0, 'A1 A2 A3 A4 A5 A6'],
])('%d of A and %d of B', (a, b, shown) => expect(limitNotesOfTwo(notes('A', a), notes('B', b)).join(' ')).toBe(shown))
