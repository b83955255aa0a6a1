/** What the parser would misread is refused, in every way that a flag can be written. */
import { expect, test } from 'vitest'
import { checkWords } from '../../src/cli/usage_errors.ts'

const alias = { most: ['m'], 'idle-time': ['idleTime'] }
const known = { key: {}, array: [], number: ['most', 'idle-time'], boolean: ['dry-run', 'cache'], alias }

test.each([
  [['--most', '5', '--most', '1'], /^--most: given more than once$/],
  [['--most=5', '--most=1'], /^--most: given/],
  [['-m', '5', '-m', '1'], /^--most: given/],
  [['-m5', '-m1'], /^--most: given/],
  [['-m=5', '--most', '1'], /^--most: given/],
  [['-ym5', '--most', '1'], /^--most: given/],
  [['--most', '-5', '--most', '1'], /^--most: given/],
  [['--idle-time', '5', '--idleTime=1'], /^--idle-time: given/],
  [['--dry-run=yes'], /^--dry-run: expected true or false, got "yes"$/],
  [['--dryRun=1'], /^--dry-run: expected/],
  [['--no-cache=x'], /^--cache: expected/],
])('%j', (argv, message) => {
  expect(() => checkWords(argv, known)).toThrow(message)
})
test.each([
  [['--most', '5', '--idle-time', '1']],
  [['-m5', '-y', '1']],
  [['--most', '5', '--', '--most', '1', '--dry-run=yes']],
  [['most', 'm', '--mostly', '--text=--most', '-1']],
  [['--dry-run', '--cache=false', '--no-cache', '--text=yes']],
])('%j is none', (argv) => {
  expect(() => checkWords(argv, known)).not.toThrow()
})
