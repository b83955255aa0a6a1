/** Command checks with hidden files and with reports: what decides, and what leaves a check undecided. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../../schemas/check.ts'
import type { InputFile } from '../../../../schemas/suite.ts'
import { hashFile, hashWalk, walk } from '../../../../src/base/fs/files.ts'
import { decideCheck } from '../../../../src/phases/3-judge/checks/decide_check.ts'
import type { CheckContext } from '../../../../src/phases/3-judge/checks/inputs/check_input.ts'
import { sceneWith, temporary, undecided, unreadable, write } from '../scene.ts'

const passed = expect.objectContaining({ passed: true })
const failed = expect.objectContaining({ passed: false })

/** Files of a suite, as a plan lists them: folders for names that end in /. */
async function suiteWith(files: Record<string, string>, folders: string[] = []): Promise<InputFile[]> {
  const root = await temporary()
  await write(root, files)
  const single = Object.keys(files).filter((name) => !folders.some((folder) => name.startsWith(`${folder}/`)))
  const of = async (name: string, kind: 'file' | 'directory') => {
    const source = path.join(root, name)
    const sha256 = kind === 'file' ? await hashFile(source) : await hashWalk((await walk(source)).files)
    return { path: name, source, kind, sha256, bytes: 1 }
  }
  return await Promise.all([...single.map((name) => of(name, 'file')), ...folders.map((name) => of(name, 'directory'))])
}

const decide = async (check: object, outputs: Record<string, string>, changes: Partial<CheckContext> = {}) =>
  decideCheck(checkSchema.parse({ type: 'command', ...check }), await sceneWith(outputs, changes))

describe('files of the suite', () => {
  const run = 'sh evals/verify.sh'
  const files = ['evals/verify.sh']
  const verify = { 'evals/verify.sh': 'grep -q hello hello.txt\n' }

  test('are there while the check is decided', async () => {
    const gradingFiles = await suiteWith(verify)
    expect(await decide({ run, files }, { 'hello.txt': 'hello' }, { gradingFiles })).toEqual(passed)
    expect(await decide({ run, files }, { 'hello.txt': 'bye' }, { gradingFiles })).toEqual(failed)
  })
  test('control: without them the command finds nothing', async () => {
    expect(await decide({ run }, { 'hello.txt': 'hello' })).toEqual(failed)
  })
  test('can have another place, also as a folder', async () => {
    const gradingFiles = await suiteWith({ 'evals/t/a.sh': 'exit 0', 'evals/t/b/c.txt': 'c' }, ['evals/t'])
    const moved = { run: 'sh x/y/a.sh && cat x/y/b/c.txt', files: [{ from: 'evals/t', to: 'x/y' }] }
    expect(await decide(moved, {}, { gradingFiles })).toEqual(passed)
  })
  test("replace what the agent left: a file, a file in the folder's place, a link that leads out", async () => {
    const gradingFiles = await suiteWith(verify)
    const cheat = { 'hello.txt': 'bye', 'evals/verify.sh': 'exit 0\n' }
    expect(await decide({ run }, cheat)).toEqual(passed) // control: the agent's own file would decide
    expect(await decide({ run, files }, cheat, { gradingFiles })).toEqual(failed)
    expect(await decide({ run, files }, { 'hello.txt': 'hello', evals: 'a file' }, { gradingFiles })).toEqual(passed)
    const outside = await temporary()
    const restore = async (target: string) => {
      symlinkSync(outside, path.join(target, 'evals'))
      writeFileSync(path.join(target, 'hello.txt'), 'hello')
    }
    expect(await decide({ run, files }, {}, { gradingFiles, restore })).toEqual(passed)
    expect((await walk(outside)).files).toEqual([])
  })
  test('load no module that the agent left next to them', async () => {
    const gradingFiles = await suiteWith({ 'evals/verify.py': 'import json\njson.loads("1")\nraise SystemExit(1)\n' })
    const check = { run: 'python3 evals/verify.py', files: ['evals/verify.py'] }
    const module = { 'evals/json.py': 'import os\nos._exit(0)\n' }
    const cheat = { ...module, 'evals/verify.py': 'import json\nraise SystemExit(1)\n' }
    expect(await decide({ run: check.run }, cheat)).toEqual(passed) // control: the module decides
    expect(await decide(check, module, { gradingFiles })).toEqual(failed)
  })
  test('that vanish, change or are not in the plan leave it undecided', async () => {
    const gone = await suiteWith(verify)
    for (const file of gone) rmSync(file.source)
    expect(await decide({ run, files }, {}, { gradingFiles: gone })).toEqual(undecided("can't be copied"))
    const changed = await suiteWith(verify)
    for (const file of changed) writeFileSync(file.source, 'exit 0')
    expect(await decide({ run, files }, {}, { gradingFiles: changed })).toEqual(undecided('has changed since'))
    expect(await decide({ run, files }, {})).toEqual(undecided('the plan does not contain'))
  })
  test('that need a program this machine lacks leave it undecided; a script of the agent that does is a fail', async () => {
    const gradingFiles = await suiteWith({ 'evals/verify.sh': 'frobnicate-42 hello.txt\n' })
    expect(await decide({ run, files }, {}, { gradingFiles })).toEqual(undecided('frobnicate-42 is not installed'))
    const agents = await suiteWith({ 'evals/verify.sh': 'sh build.sh\n' })
    expect(await decide({ run, files }, { 'build.sh': 'frobnicate-42\n' }, { gradingFiles: agents })).toEqual(failed)
  })
  test('a Python module that the command runs and this machine lacks', async () => {
    const outputs = { 'x.py': 'import frobnicate42\n' }
    expect(await decide({ run: 'python3 -m frobnicate42' }, {})).toEqual(undecided('module frobnicate42'))
    expect(await decide({ run: 'python3 x.py' }, outputs)).toEqual(failed)
    const asked = { eval_id: 1, eval_name: 'a', prompt: 'Write a package frobnicate42.', expected_output: null }
    expect(await decide({ run: 'python3 -m frobnicate42' }, {}, { asked: { ...asked, reference: null } })).toEqual(
      failed,
    )
  })
})

describe('results', () => {
  const half = '{"checks": [{"name": "a", "passed": true}, {"name": "b", "passed": false, "message": "41"}]}'
  const tests = [
    { name: 'a', passed: true },
    { name: 'b', passed: false, message: '41' },
  ]
  test.each([
    [
      { run: 'echo score: 0.75; exit 1', result: 'score_line', pass_at: 0.7 },
      { passed: true, score: 0.75, evidence: 'Score 0.75' },
    ],
    [
      { run: 'echo done', result: 'score_line' },
      undecided('not a score, such as "score: 0.75" (exit code 0); output: done'),
    ],
    [
      { run: `mkdir -p o; echo '${half}' > o/r.json`, result: 'json', result_file: 'o/r.json' },
      { passed: false, score: 0.5, tests, evidence: 'Score 0.5: 1 of 2 tests passed; failed: b (41)' },
    ],
    [{ run: `echo '<testsuite><testcase name="a"/></testsuite>' > junit.xml`, result: 'junit' }, passed],
    [{ run: `echo '{"results": {"tests": []}}' > ctrf.json`, result: 'ctrf' }, undecided('ran no test')],
    [{ run: 'pip-of-nowhere install x', result: 'ctrf' }, undecided('pip-of-nowhere is not installed')],
    [
      { run: 'echo no network; exit 2', result: 'junit' },
      undecided('wrote no junit.xml (exit code 2); output: no network'),
    ],
    [
      { run: 'kill -9 $$', result: 'junit' },
      unreadable('broke the command: the command wrote no junit.xml (ended by SIGKILL)'),
    ],
    [{ run: 'echo not JSON; exit 1', result: 'score_line' }, unreadable('exit code 1); output: not JSON')],
    [{ run: 'echo "ImportError: yaml"; exit 1', result: 'score_line' }, undecided('exit code 1); output: ImportError')],
    [{ run: 'mkdir result.json', result: 'json' }, undecided('result.json is not a file of the working folder')],
    [{ run: 'sleep 30', result: 'json', timeout: 0.2 }, undecided('the command did not end within 0.2 s')],
  ])('%j', async (check, verdict) => expect(await decide(check, {})).toEqual(verdict))

  test('a file that the agent left, and that keeps the tests from being loaded, is a fail', async () => {
    const run = `echo "ImportError while loading conftest '$PWD/conftest.py'."; exit 4`
    const verdict = unreadable('the command wrote no junit.xml (exit code 4)')
    expect(await decide({ run, result: 'junit' }, { 'conftest.py': 'raise' })).toEqual(verdict)
    expect(await decide({ run, result: 'junit' }, {})).toEqual(undecided('wrote no junit.xml'))
  })
  test.each([
    [
      'this machine lacks what the checker imports',
      'import nowhere_here',
      undecided('ModuleNotFoundError: No module named'),
    ],
    ['the agent prints so', 'import runpy; runpy.run_path("left.py")', unreadable('No module named')],
    ['the agent was to write it', 'import answer', unreadable('No module named')],
    ['the agent left a package of that name', 'import calc', unreadable('No module named')],
  ])('a missing module: %s', async (_what, code, verdict) => {
    const run = `python3 -c '${code}'`
    const left = {
      'left.py': 'import os; print("ModuleNotFoundError: No module named \'yaml\'", flush=True); os._exit(1)',
      'calc/__init__.py': 'raise ModuleNotFoundError("No module named \'calc\'")',
    }
    const asked = { eval_id: 1, eval_name: 'a', prompt: 'Write answer.py', expected_output: null, reference: null }
    expect(await decide({ run, result: 'json' }, left, { asked })).toEqual(verdict)
  })
  test.each([
    [
      'ends the checker',
      'import calc; print("score: 0")',
      unreadable('not a score, such as "score: 0.75" (exit code 0)'),
    ],
    ['control: the checker never says a score', 'print("done")', undecided('not a score')],
    ['control: it says one', 'print("score: 0.5")', { passed: false, score: 0.5, evidence: 'Score 0.5' }],
  ])('what the agent left %s', async (_what, code, verdict) => {
    const left = { 'calc.py': 'import sys; sys.exit(0)' }
    expect(await decide({ run: `python3 -c '${code}'`, result: 'score_line' }, left)).toEqual(verdict)
  })
  test.each([
    ['removes', {}],
    ['changes', { 'ci.sh': 'exit 3' }],
  ])('a file of the case that the agent %s makes its check fail, not undecided', async (_what, left) => {
    const restore = (target: string, state: string) =>
      write(
        target,
        state === 'start' ? { 'ci.sh': 'echo "<testsuite><testcase name=\\"a\\"/></testsuite>" > junit.xml' } : left,
      )
    const verdict = unreadable('wrote no junit.xml')
    expect(await decide({ run: 'sh ci.sh', result: 'junit' }, {}, { restore })).toEqual(verdict)
  })
  test.each([
    ['ends pytest', 'import os; os._exit(3)', unreadable('wrote no junit.xml (exit code 3)')],
    ['ends it as a test that can not be loaded does', 'import os; os._exit(2)', unreadable('wrote no junit.xml')],
    ['control: works', 'answer = 42', passed],
  ])('a module under test that %s', async (_what, code, verdict) => {
    const gradingFiles = await suiteWith({ 'test_calc.py': 'import calc\ndef test_it(): assert calc.answer == 42\n' })
    const check = { run: 'python3 -m pytest -q --junitxml junit.xml', result: 'junit', files: ['test_calc.py'] }
    expect(await decide(check, { 'calc.py': code }, { gradingFiles })).toEqual(verdict)
  })
  test('a program that this machine has is not missing, whatever the agent prints', async () => {
    const left = { 'build.sh': 'echo "bash: not found"; exit 127' }
    expect(await decide({ run: 'bash build.sh' }, left)).toMatchObject({ passed: false })
  })
  test.each([
    [
      'a module',
      'python3 -m unittest test_calc.py',
      'echo',
      'print("No module named unittest", flush=True); import os; os._exit(1)',
    ],
    ['a program', 'sh run.sh', 'echo "run.sh: not found"; exit 127', ''],
  ])('%s that is missing only with what the agent left is its own fail', async (_what, run, script, module) => {
    const gradingFiles = await suiteWith({ 'test_calc.py': 'import calc\n' })
    const check = { run, files: ['test_calc.py'] }
    expect(await decide(check, { 'run.sh': script, 'calc.py': module }, { gradingFiles })).toMatchObject({
      passed: false,
    })
  })
  test.each([
    [
      'the agent raises',
      'import calc',
      '__tracebackhide__ = True\nraise ImportError("No module named numpyx")',
      failed,
    ],
    ['control: the suite imports', 'import numpyx', 'answer = 42', undecided('collection failure')],
  ])('a missing module in a report of tests that %s', async (_what, imports, code, verdict) => {
    const gradingFiles = await suiteWith({ 'test_calc.py': `${imports}\ndef test_it(): pass\n` })
    const check = { run: 'python3 -m pytest -q --junitxml junit.xml', result: 'junit', files: ['test_calc.py'] }
    expect(await decide(check, { 'calc.py': code }, { gradingFiles })).toEqual(verdict)
  })
  test.each([
    ['silently', 'import sys; sys.exit(2)'],
    [
      'with what python3 says of a missing file',
      "import sys; print(\"python3: can't open file '/x/calc.py': [Errno 2] No such file or directory\"); sys.exit(2)",
    ],
  ])('a program of the agent that ends %s as if it were missing is a fail', async (_what, code) => {
    const gradingFiles = await suiteWith({ 'grade.sh': 'set -e\nout=$(python3 calc.py)\necho 1 > reward.txt\n' })
    const check = { run: 'sh grade.sh', result: 'reward', files: ['grade.sh'] }
    expect(await decide(check, { 'calc.py': code }, { gradingFiles })).toEqual(unreadable('wrote no reward.txt'))
  })
  test('a report is not read through a link out of the working folder', async () => {
    const outside = await temporary()
    await write(outside, { 'r.txt': '1' })
    const check = { run: `rm -rf o; ln -s ${outside} o`, result: 'reward', result_file: 'o/r.txt' }
    expect(await decide(check, {})).toEqual(undecided('not a file of the working folder'))
  })
  test('a report that the agent left does not decide', async () => {
    const left = { 'reward.txt': '1' }
    expect(await decide({ run: 'cat reward.txt' }, left)).toEqual(passed) // control: it is in the folder
    expect(await decide({ run: 'true', result: 'reward' }, left)).toEqual(undecided('wrote no reward.txt'))
    const folder = (target: string) => Promise.resolve(void mkdirSync(path.join(target, 'reward.txt')))
    expect(await decide({ run: 'echo 1 > reward.txt', result: 'reward' }, {}, { restore: folder })).toEqual(passed)
  })
})

test.each([
  { run: 'x', result: 'json', exit_code: 1 },
  { run: 'x', pass_at: 0.5 },
  { run: 'x', result: 'score_line', result_file: 'a' },
  { run: 'x', result: 'json', result_file: '../a' },
  { run: 'x', files: [{ from: 'a', to: '/etc/x' }] },
])('%j is refused', (check) => expect(checkSchema.safeParse({ type: 'command', ...check }).success).toBe(false))
