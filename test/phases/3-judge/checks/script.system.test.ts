/** Script checks: programs in TypeScript, JavaScript and Python that read the run and print a verdict. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../../schemas/check.ts'
import { hashFile } from '../../../../src/base/fs/files.ts'
import { decideCheck } from '../../../../src/phases/3-judge/checks/decide_check.ts'
import type { CheckContext } from '../../../../src/phases/3-judge/checks/inputs/check_input.ts'
import { readScriptVerdict } from '../../../../src/phases/3-judge/checks/script.ts'
import { environment, failed, sceneWith, temporary, undecided, unreadable, write } from '../scene.ts'

async function decide(script: string, text: string, changes: Partial<CheckContext> = {}, more: object = {}) {
  const root = await temporary()
  await write(root, { [script]: text })
  const source = path.join(root, script)
  const gradingFiles = [{ path: script, source, kind: 'file' as const, sha256: await hashFile(source), bytes: 1 }]
  const files = [{ from: script, to: script }]
  const check = checkSchema.parse({ type: 'script', script, files, ...more })
  return decideCheck(check, await sceneWith({ 'sum.txt': '42\n' }, { gradingFiles, ...changes }))
}

describe('languages', () => {
  const python = `
import json, sys, os
run = json.load(sys.stdin)
text = open(os.path.join(run["run_folder"], "sum.txt")).read()
events = [json.loads(line) for line in open(run["transcript_events_file"])]
print("reading")
print(json.dumps({"passed": text == "42\\n" and run["final_response"] == "It is 42", "evidence": f"{run['outputs']} {len(events)} {run['case']['prompt']} {sys.argv[1:]}"}))
`
  const typescript = `
import { readFileSync } from 'node:fs'
interface Run { run_folder: string; files: string[] }
const run: Run = JSON.parse(readFileSync(0, 'utf8'))
const enum Level { Good = 1 }
console.log(JSON.stringify({ score: readFileSync('sum.txt', 'utf8').startsWith('42') ? Level.Good : 0, evidence: run.files.join() }))
`
  const asked = { eval_id: 1, eval_name: 'sum', prompt: 'Add', expected_output: null, reference: null }
  const event = { type: 'assistant', seq: 1, text: 'hi' } as never
  const events = async () => [event]

  test('Python', async () => {
    const changes = { finalResponse: 'It is 42', asked, events }
    const made = await decide('evals/grade.py', python, changes, { args: ['-v'] })
    expect(made).toEqual({ passed: true, evidence: "['sum.txt'] 1 Add ['-v'] (Passed)" })
    expect(await decide('evals/grade.py', python)).toEqual(expect.objectContaining({ passed: false }))
  })
  test('TypeScript', async () => {
    const made = await decide('evals/grade.ts', typescript)
    expect(made).toEqual({ passed: true, score: 1, evidence: 'evals/grade.ts (Score 1)' })
  })
  test('JavaScript, as a module and as CommonJS', async () => {
    const score = 'console.log(JSON.stringify({ score: 0.5 }))'
    const half = { passed: false, score: 0.5, evidence: 'Score 0.5' }
    expect(await decide('evals/a.mjs', `import 'node:fs'\n${score}`)).toEqual(half)
    expect(await decide('evals/a.cjs', `require('node:fs')\n${score}`)).toEqual(half)
    expect(await decide('evals/a.js', score, {}, { pass_at: 0.5 })).toEqual({ ...half, passed: true })
  })
})

test('a link in place of the translated script is not followed', async () => {
  const outside = await temporary()
  await write(outside, { 'mine.txt': 'mine' })
  const restore = async (target: string) => {
    mkdirSync(path.join(target, 'evals'))
    symlinkSync(path.join(outside, 'mine.txt'), path.join(target, 'evals/grade.ts.mjs'))
  }
  const verdict = await decide('evals/grade.ts', 'console.log(JSON.stringify({ passed: true }))', { restore })
  expect(verdict).toEqual(expect.objectContaining({ passed: true }))
  expect(readFileSync(path.join(outside, 'mine.txt'), 'utf8')).toBe('mine')
})

describe('what leaves it undecided', () => {
  test.each([
    [
      'a fail with exit code 1',
      'a.py',
      'print(\'{"passed": false, "evidence": "no"}\'); exit(1)',
      failed('no (Failed)'),
    ],
    ['a pass with exit code 1', 'a.py', 'print(\'{"passed": true}\'); exit(1)', unreadable('exit code 1')],
    ['a missing module', 'a.py', 'import frobnicate42', undecided('the script failed (exit code 1): ')],
    ['other output', 'a.py', 'print("good")', undecided('printed no JSON as its last line: good')],
    ['its own word', 'a.py', 'print(\'{"error": "no service"}\')', undecided('the script says: no service')],
    [
      'broken TypeScript',
      'a.ts',
      'let a = 1\nconst x: = 1',
      undecided('not valid TypeScript: line 2: Unexpected token `=`'),
    ],
  ])('%s', async (_, script, text, verdict) => expect(await decide(script, text)).toEqual(verdict))
  test.each([
    [
      'a crash',
      'import json\njson.loads(open("sum.txt").read() + "{")',
      unreadable('broke it: the script failed (exit code 1)'),
    ],
    ['a verdict before it', 'print(\'{"passed": true}\', flush=True)\nraise OSError("boom")', unreadable('boom')],
    ['no end', 'import time\ntime.sleep(30)', { error: 'timed out: the script did not end within 0.3 s' }],
  ])('but not %s: it worked on what the agent left', async (_, text, verdict) =>
    expect(await decide('a.py', text, {}, text.includes('sleep') ? { timeout: 0.3 } : {})).toEqual(verdict),
  )
  test('no interpreter', async () => {
    const env = { ...environment, PATH: await temporary() }
    expect(await decide('a.py', 'print(1)', { env })).toEqual(undecided('python3 is not installed here'))
  })
})

describe('verdicts', () => {
  const tests = [
    { name: 'a', passed: true },
    { name: 'b', passed: false, message: 'late' },
  ]
  test.each([
    [{ passed: true }, { passed: true, evidence: 'Passed' }],
    [
      { checks: tests },
      { passed: false, score: 0.5, tests, evidence: 'Score 0.5: 1 of 2 tests passed; failed: b (late)' },
    ],
    [
      { passed: true, checks: tests },
      { passed: true, tests, evidence: 'Score 0.5: 1 of 2 tests passed; failed: b (late)' },
    ],
    [[tests[0], { name: 'b', passed: false, evidence: 'late' }], expect.objectContaining({ score: 0.5, tests })],
    [{ checks: [] }, undecided('the verdict of the script')],
  ])('%j', (value, verdict) => expect(readScriptVerdict(JSON.stringify(value), undefined)).toEqual(verdict))
})

test.each([
  ['repeats the answer in its crash', 'raise ValueError(answer)', unreadable('yaml')],
  [
    'has a score that only this answer makes invalid',
    'print(json.dumps({"score": len(answer) / 4}))',
    unreadable('kept'),
  ],
  ['control: is always out of range', 'print(json.dumps({"score": 9}))', undecided('the verdict of the script')],
])('a checker in Python that %s', async (_what, code, verdict) => {
  const finalResponse = "ModuleNotFoundError: No module named 'yaml'"
  const text = `import json, sys\nanswer = json.load(sys.stdin)["final_response"]\n${code}`
  expect(await decide('a.py', text, { finalResponse })).toEqual(verdict)
})

test.each([
  ['never prints a verdict', 'console.log("good" as string)', undecided('good')],
  ['lacks a package', "import 'nowhere-here'", undecided('ERR_MODULE_NOT_FOUND')],
])('a checker in TypeScript that %s is not the fault of the agent', async (_what, text, verdict) =>
  expect(await decide('a.ts', text)).toEqual(verdict),
)

test.each([
  [
    'is ended by it',
    'import runpy; runpy.run_path("left.py"); print(\'{"passed": false}\')',
    unreadable('kept the script from its verdict'),
  ],
  ['control: prints nothing itself', 'pass', undecided('no output')],
])('with code of the agent that ends with 0, a checker that %s', async (_what, code, verdict) => {
  const restore = async (cwd: string, state: string) =>
    state === 'end' ? await write(cwd, { 'left.py': 'import os; os._exit(0)' }) : undefined
  const enter = 'import json, os, sys; os.chdir(json.load(sys.stdin)["run_folder"])\n'
  expect(await decide('a.py', enter + code, { restore })).toEqual(verdict)
})

test.each([
  ['lacks a module of this machine', 'import nowhere_here', undecided('nowhere_here')],
  ['runs code of the agent that prints so', 'import runpy; runpy.run_path("left.py")', unreadable('yaml')],
])('a checker that %s', async (_what, code, verdict) => {
  const left =
    'import os, sys; print("ModuleNotFoundError: No module named \'yaml\'", file=sys.stderr, flush=True); os._exit(1)'
  const restore = async (cwd: string, state: string) =>
    state === 'end' ? await write(cwd, { 'left.py': left }) : undefined
  expect(await decide('evals/grade.py', code, { restore, outputs: ['left.py'] })).toEqual(verdict)
})
