/** A number given twice is told, in every way that a flag can be written. */
import { expect, test } from 'vitest'
import { checkNumbers } from '../../src/cli/usage_errors.ts'

const alias = { most: ['m'], 'idle-time': ['idleTime'] }
const known = { number: ['most', 'idle-time'], alias, narg: { most: 1, text: Number.NaN } }

test.each([
  [['--most', '5', '--most', '1']],
  [['--most=5', '--most=1']],
  [['-m', '5', '-m', '1']],
  [['-m5', '-m1']],
  [['-m=5', '--most', '1']],
  [['-ym5', '--most', '1']],
  [['--most', '-5', '--most', '1']],
  [['--text', '-', '--most', '5', '--most', '1']],
  [['--idle-time', '5', '--idleTime=1']],
])('%j', (argv) => {
  expect(() => checkNumbers(argv, known)).toThrow(/^--(most|idle-time): given more than once$/)
})
test.each([
  [['--most', '5', '--idle-time', '1']],
  [['-m5', '-y', '1']],
  [['--most', '5', '--', '--most', '1']],
  [['--most', '5', '--text', '--most', '1']],
  [['--most', '--most', '1']],
  [['-m', '--most', '1']],
  [['most', 'm', '--mostly', '--text=--most', '-1']],
])('%j is none', (argv) => {
  expect(() => checkNumbers(argv, known)).not.toThrow()
})
