/** verify.py reads reports and verdicts of programs as Whetstone does, and what it can't decide is an error there too. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readScriptVerdict } from '../../../../src/phases/3-judge/checks/results/script_verdict.ts'
import { resultReaders } from '../../../../src/phases/3-judge/checks/results/table.ts'
import { needs } from '../../../require.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0
const withPython = needs('python3', hasPython, 'install Python 3')

const verifier = path.join(import.meta.dirname, '../../../../src/phases/1-plan/to_harbor/verify.py')
const program = `
import json, sys
exec(open(sys.argv[1]).read().rsplit("main()", 1)[0].replace("__file__", "'verify.py'"))
kind, text = json.load(sys.stdin)
try:
    if kind == "script":
        passed, _, *scores = read_verdict(text.strip(), 1)
        print(json.dumps({"passed": passed, "score": scores[0] if scores else int(passed)}))
    else:
        print(json.dumps({"score": REPORTS[kind][1](text)[0]}))
except Exception:
    print(json.dumps("error"))
`

function readInPython(kind: string, text: string): unknown {
  const end = spawnSync('python3', ['-c', program, verifier], { input: JSON.stringify([kind, text]), encoding: 'utf8' })
  expect(end.stderr).toBe('')
  return JSON.parse(end.stdout)
}

async function readHere(kind: keyof typeof resultReaders | 'script', text: string): Promise<unknown> {
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

withPython('verify.py', () => {
  test.each<[keyof typeof resultReaders | 'script', string, number | 'error']>([
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
  ])('%s %j: %s', async (kind, text, expected) => {
    const here = await readHere(kind, text)
    expect(here).toEqual(expected === 'error' ? 'error' : { score: expected })
    expect(readInPython(kind, text)).toEqual(here)
  })
  test.each<[string, boolean | 'error']>([
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
  ])('the verdict %j of a script: %s', async (text, passed) => {
    const here = await readHere('script', text)
    expect(passed === 'error' ? here : { passed: true, ...(typeof here === 'object' ? here : {}) }).toEqual(
      passed === 'error' ? 'error' : expect.objectContaining({ passed }),
    )
    expect(readInPython('script', text)).toEqual(here)
  })
})
