/** A JavaScript pattern, rewritten for Python, finds the same text at the same place. */
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toPythonPattern } from '../../../../src/phases/1-plan/to_harbor/python_pattern.ts'
import { needs } from '../../../require.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0
const withPython = needs('python3', hasPython, 'install Python 3')

const search = `
import json, re, sys
found = []
for pattern, text in json.load(sys.stdin):
    try:
        match = re.search(pattern, text)
        found.append(None if match is None else [match.start(), match.group(0)])
    except re.error as error:
        found.append(str(error))
print(json.dumps(found))
`

type Found = [number, string] | string | null

function searchInPython(pairs: readonly (readonly [string, string])[]): Found[] {
  const end = spawnSync('python3', ['-c', search], { input: JSON.stringify(pairs), encoding: 'utf8' })
  return JSON.parse(end.stdout)
}

function searchHere(pattern: string, flags: string, text: string): Found {
  const match = new RegExp(pattern, flags).exec(text)
  return match === null ? null : [match.index, match[0]]
}

const texts = [
  '',
  'a',
  'ab\n',
  'Total: 42\r\nab-c_9 é\u00a0x',
  'aa\u2028bb\u0085\x1cb',
  '{a}[b](c)|$^.*+?\\/-&&~~--##',
  'xAByba--ba12 Éaé٣',
]

const pieces = [
  ...[
    'a',
    'B',
    '.',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '[a-c]',
    '[^a\\d]',
    '[\\w-]',
    '[-a]',
    '[a\\S]',
    '[\\s\\S]',
  ],
  ...[
    '[^]',
    '[]',
    '[a-b-c]',
    '[\\D]',
    '[\\W_]',
    '[&&]',
    '[[]',
    '[\\]^]',
    '[\\b]',
    '^',
    '$',
    '\\b',
    '\\B',
    '(a|b)',
    '(?<x>é)',
  ],
  ...[
    '(?:x|)',
    '(?=b)',
    '(?!b)',
    '(?<=a)',
    '(?<!a)',
    '\\u00e9',
    '\\xe9',
    '\\n',
    '\\r',
    '\\-',
    '\\/',
    '\\{',
    '\\cJ',
    '\\0',
  ],
  ...['{', '}', ']', '-', ' ', '#', '{,2}', '&', '~', 'é', '\\1', '(?:(a)|b)\\1', '\\a', '\\_'],
]
const counts = ['', '', '', '*', '+', '?', '*?', '+?', '{1,2}', '{2}', '{1,}?']
const isAssertion = /^(?:\^|\$|\\[bB]|\(\?(?:=|!|<=|<!).*)$/

const pattern = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...counts)), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.map(([piece, count]) => (isAssertion.test(piece) ? piece : piece + count)).join(''))
  .filter((source) => isValid(source) && !/\\1/.test(source.split('(')[0] ?? ''))

function isValid(source: string): boolean {
  try {
    new RegExp(source)
    return true
  } catch {
    return false
  }
}

withPython('toPythonPattern', () => {
  test('agrees with JavaScript on patterns of all kinds of parts', () => {
    const sources = fc.sample(fc.tuple(pattern, fc.constantFrom('', 'm', 's', 'ms')), { numRuns: 3000, seed: 1 })
    const tried = sources.flatMap(([source, flags]) => {
      const written = toPythonPattern(source, flags)
      if ('reason' in written) return []
      return texts.map((text) => ({ source, flags, text, python: written.pattern }))
    })
    expect(tried.length).toBeGreaterThan(sources.length * texts.length * 0.9)
    const found = searchInPython(tried.map(({ python, text }) => [python, text]))
    const wrong = tried.flatMap(({ source, flags, text, python }, index) => {
      const here = searchHere(source, flags, text)
      return JSON.stringify(here) === JSON.stringify(found[index])
        ? []
        : [{ source, flags, text, python, here, there: found[index] }]
    })
    expect(wrong.slice(0, 5)).toEqual([])
  })
  test.each([
    ['a.c', 'i', 'xABC'],
    ['^total: (\\d+)$', 'im', 'x\nTotal: 42\r\ny'],
    ['\\u{1F600}', 'u', 'a 😀'],
    ['(?<year>\\d{4})-\\k<year>', '', 'x 2024-2024'],
    ['[\\u00c0-\\u00ff]+', '', 'caféé'],
  ])('/%s/%s', (source, flags, text) => {
    const written = toPythonPattern(source, flags)
    if ('reason' in written) throw new Error(written.reason)
    const [there] = searchInPython([[written.pattern, text]])
    expect(there).toEqual([expect.any(Number), searchHere(source, flags, text)?.[1]])
    expect(there).not.toBeNull()
  })
})
