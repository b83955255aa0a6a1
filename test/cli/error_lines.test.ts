/** An error is `error: what (where)`, then `hint: one action`. */
import { expect, test } from 'vitest'
import { errorLines, warningLines } from '../../src/cli/print_error.ts'

test.each([
  ['a/b.json:2:3: not valid JSON', 'error: not valid JSON (a/b.json:2:3)'],
  ['evals.json: no such file', 'error: no such file "evals.json"'],
  ['/home/me/my skills/pdf: no such folder', 'error: no such folder "/home/me/my skills/pdf"'],
  ['pdf: no such file or folder', 'error: no such file or folder "pdf"'],
  ['temporary folder /tmp/a: no such folder', 'error: temporary folder /tmp/a: no such folder'],
  ['--shared none: no such folder', 'error: --shared none: no such folder'],
  [`${process.cwd()}/a/b.json:2: not valid`, 'error: not valid (a/b.json:2)'],
  [`${process.cwd()}/pdf: no such folder`, 'error: no such folder "pdf"'],
  [`not in file://${process.cwd()}/a`, `error: not in file://${process.cwd()}/a`],
  ['./a b.yaml:4: runs: not a number', 'error: runs: not a number (./a b.yaml:4)'],
  ['unknown command "a/b"', 'error: unknown command "a/b"'],
  ['--queue redis://host: no answer', 'error: --queue redis://host: no answer'],
  ['runs: not a number', 'error: runs: not a number'],
  ['a.json: 2 problems:', 'error: a.json: 2 problems:'],
  ['a.yaml:1: one\na.yaml:2: two', 'error: one (a.yaml:1)\ntwo (a.yaml:2)'],
  ['a.json: 1 problem\n  error here: b', 'error: 1 problem (a.json)\n  error here: b'],
])('%j', (message, text) => {
  expect(errorLines(message, null).join('\n')).toBe(text)
  expect(errorLines(message, 'do this').at(-1)).toBe('hint: do this')
})

test('a hint names paths in the working directory as the user would', () => {
  expect(errorLines('a', `did you mean "${process.cwd()}/pdf"?`)).toEqual(['error: a', 'hint: did you mean "pdf"?'])
})

test('only the first word is marked', () => {
  expect(errorLines('a', 'b', (word) => `<${word}>`)).toEqual(['<error:> a', 'hint: b'])
})

test('a warning has the same form, with what to do below it', () => {
  const unknown = { file: 'a.json', at: '$.evals[0]', message: 'unknown' }
  expect(warningLines(unknown)).toEqual(['warning: unknown (a.json $.evals[0])'])
  expect(warningLines({ ...unknown, file: 'y.md', at: '$' }), 'the whole file').toEqual(['warning: unknown (y.md)'])
  expect(warningLines({ ...unknown, at: '', fix: 'remove it' })).toEqual([
    'warning: unknown (a.json)',
    '         remove it',
  ])
})
