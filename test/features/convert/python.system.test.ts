/** What a Harbor task does in Python: patterns find the same text at the same place, verify.py reads reports and verdicts alike. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toPythonPattern } from '../../../src/features/convert/harbor/python_pattern.ts'
import { resultReaders } from '../../../src/phases/3-judge/checks/command.ts'
import { readScriptVerdict } from '../../../src/phases/3-judge/checks/script.ts'
import { needs } from '../../require.ts'

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
  ...['a', '.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '[a-c]', '[^a\\d]', '[\\w-]', '[-a]', '[a\\S]'],
  ...['[^]', '[]', '[a-b-c]', '[\\W_]', '[&&]', '[[]', '[\\]^]', '[\\b]', '^', '$', '\\b', '\\B', '(?<x>é)'],
  ...['(?:x|)', '(?=b)', '(?!b)', '(?<=a)', '(?<!a)', '\\u00e9', '\\xe9', '\\n', '\\-', '\\{', '\\cJ', '\\0'],
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

const verifier = path.join(import.meta.dirname, '../../../src/features/convert/harbor/verify.py')
const program = `
import json, sys
exec(open(sys.argv[1]).read().rsplit("main()", 1)[0].replace("__file__", "'verify.py'"))

def read(kind, text):
    try:
        if kind != "script":
            return {"score": REPORTS[kind][1](text)[0]}
        passed, _, *scores = read_verdict(text.strip(), 1)
        return {"passed": passed, "score": scores[0] if scores else int(passed)}
    except Exception:
        return "error"

print(json.dumps([read(*pair) for pair in json.load(sys.stdin)]))
`

type Pair = [kind: keyof typeof resultReaders | 'script', text: string]

function readInPython(pairs: readonly Pair[]): unknown[] {
  const end = spawnSync('python3', ['-c', program, verifier], { input: JSON.stringify(pairs), encoding: 'utf8' })
  expect(end.stderr).toBe('')
  return JSON.parse(end.stdout)
}

async function readHere([kind, text]: Pair): Promise<unknown> {
  if (kind === 'script') {
    const verdict = readScriptVerdict(text, undefined)
    if ('error' in verdict) return 'error'
    return { passed: verdict.passed, score: verdict.score ?? (verdict.passed ? 1 : 0) }
  }
  const result = await resultReaders[kind]?.read(text)
  return result === undefined || 'error' in result ? 'error' : { score: result.score }
}

const ctrf = (...statuses: string[]) =>
  JSON.stringify({ results: { tests: statuses.map((status, index) => ({ name: `t${index}`, status })) } })
const broken = { name: 'a', status: 'failed', message: 'collection failure' }
const suite = (...inner: string[]) =>
  `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite>${inner.map((one) => `<testcase name="é">${one}</testcase>`).join('')}</testsuite></testsuites>`

const reports: [...Pair, number | 'error'][] = [
  ['score_line', 'log\nscore: 0.75\n', 0.75],
  ['score_line', 'Score = 1', 1],
  ['score_line', 'score: 1.5', 'error'],
  ['score_line', 'score: high', 'error'],
  ['score_line', '', 'error'],
  ['json', '{"score": 0.5}', 0.5],
  ['json', '{"score": true}', 'error'],
  ['json', '{"checks": [{"name": "a", "passed": true}, {"name": "b", "passed": false}]}', 0.5],
  ['json', '{"checks": []}', 'error'],
  ['json', '{}', 'error'],
  ['json', 'no', 'error'],
  ['ctrf', ctrf('passed', 'failed', 'skipped', 'other'), 1 / 3],
  ['ctrf', ctrf('skipped', 'pending'), 'error'],
  ['ctrf', JSON.stringify({ results: { tests: [broken] } }), 'error'],
  ['ctrf', JSON.stringify({ results: { tests: [broken, { name: 'b', status: 'passed' }] } }), 0.5],
  ['ctrf', '{}', 'error'],
  ['junit', suite('', '<failure message="41"/>', '<skipped/>', '<error/>'), 1 / 3],
  ['junit', suite('<error message="collection failure"/>'), 'error'],
  ['junit', suite(), 'error'],
  ['junit', '<testsuites>', 'error'],
  ['reward', '0.25\n', 0.25],
  ['reward', '', 'error'],
  ['reward', '{"reward": 1, "speed": 3}', 1],
  ['reward', '{"only": 0.5}', 0.5],
  ['reward', '{"a": 1, "b": 0}', 'error'],
]

const verdicts: [text: string, passed: boolean | 'error'][] = [
  ['{"passed": true}', true],
  ['debug\n{"passed": false}', false],
  ['{"score": 1}', true],
  ['{"score": 0.8}', false],
  ['{"passed": true, "score": 0.8, "evidence": "4 of 5"}', true],
  ['{"score": 2}', 'error'],
  ['{"checks": [{"name": "a", "passed": true}, {"name": "b", "passed": false}]}', false],
  ['[{"name": "a", "passed": true, "score": 0.5}, {"name": "b", "passed": true}]', false],
  ['[]', 'error'],
  ['{"error": "down"}', 'error'],
  ['{}', 'error'],
  ['no JSON', 'error'],
  ['', 'error'],
]

withPython('verify.py', () => {
  test('reads each report as Whetstone does', async () => {
    const pairs = reports.map(([kind, text]): Pair => [kind, text])
    const here = await Promise.all(pairs.map(readHere))
    expect(here).toEqual(reports.map(([, , score]) => (score === 'error' ? 'error' : { score })))
    expect(readInPython(pairs)).toEqual(here)
  })
  test('reads each verdict of a script as Whetstone does', async () => {
    const pairs = verdicts.map(([text]): Pair => ['script', text])
    const here = await Promise.all(pairs.map(readHere))
    const expected = verdicts.map(([, passed]) => (passed === 'error' ? 'error' : expect.objectContaining({ passed })))
    expect(here).toEqual(expected)
    expect(readInPython(pairs)).toEqual(here)
  })
})
