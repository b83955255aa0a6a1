/** What an agent left in a state that no check can look at: every check of it fails as unreadable, and only the grader's own failure is an error. */
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import type { CheckContext } from '../../../src/phases/3-judge/checks/inputs/check_input.ts'
import { gradeFiles, quoter } from './graded.ts'
import { failed, passed, sceneWith, undecided, unreadable } from './scene.ts'

const path = 'report.json'
const good = '{"total": 42, "region": "Ocean"}\n'

/** Each holds of the good file. */
const checks: object[] = [
  { type: 'contains', path, value: 'Ocean' },
  { type: 'not_contains', path, value: 'SECRET' },
  { type: 'regex', path, pattern: 'Ocean' },
  { type: 'regex', path, pattern: 'SECRET', absent: true },
  { type: 'equals', path, value: { total: 42, region: 'Ocean' } },
  { type: 'similarity', path, value: good, at_least: 0.9 },
  { type: 'json_path', path, query: '$.total', equals: 42 },
  { type: 'json_schema', path, schema: { type: 'object', required: ['total'] } },
  { type: 'contains', target: 'outputs', value: 'Ocean' },
  { type: 'not_contains', target: 'outputs', value: 'SECRET' },
]

const bytes = Buffer.concat([Buffer.from('SECRET'), Buffer.from([0, 1, 0, 255])])
const left = (reason: string) => ({ outputs: [], leftOut: [{ path, reason }] })

const states: Record<string, [string | Buffer, Partial<CheckContext>]> = {
  'bytes that are no text': [bytes, {}],
  'a file that is too large': ['', left('larger than 20 MiB (30000000 bytes)')],
  'one file too many': ['', left('more than 2000 files')],
  'a file that can not be copied': ['', left('cannot be copied: EACCES')],
  'a folder that is closed': ['', { outputs: [], leftOut: [{ path: '.', reason: "can't be read: EACCES" }] }],
}

describe.each(Object.entries(states))('%s', (_, [content, changes]) => {
  test.each(checks.slice(0, -2))('%j', async (check) => {
    const verdict = await decideCheck(checkSchema.parse(check), await sceneWith({ [path]: content }, changes))
    expect(verdict).toEqual(unreadable(''))
  })
  test.each(checks.slice(-2))('%j, among other outputs', async (check) => {
    const outputs = ['a.md', ...(changes.outputs ?? [path])]
    const scene = await sceneWith({ 'a.md': 'Desert', [path]: content }, { ...changes, outputs })
    expect(await decideCheck(checkSchema.parse(check), scene)).toEqual(unreadable('may be in'))
  })
})

test.each(checks)('control: %j holds of the good file', async (check) => {
  const scene = await sceneWith({ [path]: good })
  expect(await decideCheck(checkSchema.parse(check), scene)).toMatchObject({ passed: true })
})

test('a query that goes deeper than its engine does on what the agent left', async () => {
  const deep = `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`
  const decide = async (query: string, text: string) =>
    decideCheck(checkSchema.parse({ type: 'json_path', path, query }), await sceneWith({ [path]: text }))
  const verdict = await decide('$..b', deep)
  expect([unreadable('could not be evaluated'), failed('finds nothing')]).toContainEqual(verdict)
  expect(await decide('$..a', '{"a": 1}')).toEqual(passed('is 1'))
  expect(await decide('$[', '{"a": 1}')).toEqual(undecided('could not be evaluated'))
})

test('a file that is missing fails as before', async () => {
  for (const check of checks.slice(0, 2))
    expect(await decideCheck(checkSchema.parse(check), await sceneWith({}))).toEqual(failed('No output file'))
})

describe('a command that reads a file that was not collected', () => {
  const decide = async (run: string, left: { path: string; reason: string }, files: Record<string, string> = {}) =>
    decideCheck(checkSchema.parse({ type: 'command', run }), await sceneWith(files, { leftOut: [left] }))
  const large = { path: 'out/big.txt', reason: 'larger than 20 MiB' }
  test.each([
    '! grep -q x out/big.txt',
    'node -e "open(\'./out/big.txt\')" || true',
    '! cat "$PWD/out/big.txt"',
    '! grep -rq x .',
    '! grep -rq x out/',
    '! cat o*/*.txt',
  ])('%s', async (run) => {
    expect(await decide(run, large)).toEqual(unreadable('out/big.txt was not collected: larger'))
  })
  test('a link or a pipe, but not one that setup made', async () => {
    const link = { path: 'data', reason: 'a link' }
    expect(await decide('! grep -q x data/a.txt', link)).toEqual(unreadable('data was not collected: a link'))
    expect(await decide('! grep -q x data/a.txt', link, { 'data/a.txt': 'y' })).toEqual(passed('Exit code 0'))
    expect(await decide('! grep -rq x .', link)).toEqual(passed('Exit code 0'))
  })
  test('control: one that reads other files is decided', async () => {
    for (const run of ['! grep -q x big.md', 'ls | grep -c big || true', '! cat *.txt'])
      expect(await decide(run, large)).toEqual(passed('Exit code 0'))
  })
})

describe('the run', () => {
  const parts = {
    checks: [{ type: 'contains', path: 'a.md', value: '42' }],
    expectations: [{ text: 'a.md contains "42"' }],
  }
  const grade = async (content: Buffer, evidence: string) => {
    const { judge } = quoter(evidence)
    const files = { 'outputs/a.md': content, 'transcript.md': 'x', 'transcript.jsonl': '' }
    return (await gradeFiles({ files, parts, judge }))?.grading
  }
  test('is counted, also if the judge passes the sentence of an unreadable check', async () => {
    const grading = await grade(bytes, 'outputs/a.md: "42"')
    expect(grading?.judge_errors).toBeUndefined()
    expect(grading?.summary).toMatchObject({ passed: 0, failed: 2, pass_rate: 0 })
    expect(grading?.expectations[0]).toMatchObject({ unreadable: true, decided_by: 'check:contains' })
  })
  test('is not passed by a judge that says more of a file that no check can read', async () => {
    const { judge } = quoter('outputs/a.md: "42"')
    const files = { 'outputs/a.md': bytes, 'outputs/b.md': '42', 'transcript.md': 'x', 'transcript.jsonl': '' }
    const expectations = ['a.md contains a total', '"42" is in a.md', 'b.md contains a total', 'a.md exists']
    const statements = expectations.map((text) => ({ text }))
    const grading = (await gradeFiles({ files, parts: { ...parts, expectations: statements }, judge }))?.grading
    const { judge: other } = quoter('outputs/b.md: "42"')
    const plain = (await gradeFiles({ files, parts: { ...parts, expectations: statements }, judge: other }))?.grading
    expect(grading?.expectations.slice(0, 2)).toMatchObject([{ unreadable: true }, { overruled: true }])
    expect(plain?.expectations.slice(0, 4).map((one) => one.overruled ?? one.passed)).toEqual([true, true, true, true])
    expect(plain?.expectations.slice(2, 4)).toMatchObject([{ passed: true }, { passed: true }])
  })
  test('control: a judge without an answer is a judge error', async () => {
    const grading = await grade(bytes, 'prose')
    expect(grading?.judge_errors).toMatchObject([{ reason: expect.stringContaining('no usable answer') }])
    expect(grading?.summary).toMatchObject({ failed: 1, total: 1 })
  })
})
