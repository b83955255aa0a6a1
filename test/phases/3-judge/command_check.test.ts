/** The command check: real shell commands in a rebuilt working folder, which is gone afterwards. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../schemas/check.ts'
import { hashFile } from '../../../src/base/fs/files.ts'
import { decideCheck } from '../../../src/phases/3-judge/checks/decide_check.ts'
import type { CheckContext } from '../../../src/phases/3-judge/checks/inputs/check_input.ts'
import { environment, failed, passed, sceneWith, temporary, undecided, workOf } from './scene.ts'

const files = { 'sum.txt': '42\n', 'deep/a.txt': 'a\n', 'bad.sh': 'frobnicate-42 --now\n' }
const decide = async (check: object, changes: Partial<CheckContext> = {}) =>
  decideCheck(checkSchema.parse({ type: 'command', ...check }), await sceneWith(files, changes))

describe('exit codes', () => {
  test.each([
    [{ run: 'grep -n 42 sum.txt' }, passed('Exit code 0; output: 1:42')],
    [{ run: 'cat deep/a.txt >/dev/null' }, passed('Exit code 0; no output')],
    [{ run: 'echo one; echo two >&2; exit 3' }, failed('Exit code 3, not 0; output: one\ntwo')],
    [{ run: 'kill -9 $$' }, failed('Ended by SIGKILL')],
    [{ run: 'i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; exit 1' }, failed('line 19999')],
    [
      { run: 'echo begun; sleep 30', timeout: 0.5 },
      { error: 'timed out: the command did not end within 0.5 s; output: begun' },
    ],
  ])('%j', async (check, verdict) => expect(await decide(check)).toEqual(verdict))
})

describe('what keeps it from being decided', () => {
  test.each([
    [
      'a program that this machine lacks',
      { run: 'frobnicate-42 sum.txt' },
      undecided('frobnicate-42 is not installed'),
    ],
    ["a program that the agent's script wanted", { run: 'sh bad.sh' }, failed('Exit code 127')],
    ['a script that the agent did not write', { run: './made.sh' }, failed('Exit code 127')],
    ['a wish for exit code 127', { run: 'frobnicate-42', exit_code: 127 }, passed('Exit code 127')],
  ])('%s', async (_, check, verdict) => expect(await decide(check)).toEqual(verdict))

  test('no shell on PATH', async () => {
    const env = { ...environment, PATH: await temporary() }
    expect(await decide({ run: 'true' }, { env })).toEqual(undecided('could not be started'))
  })
  test('a working folder that can not be rebuilt', async () => {
    const restore = () => Promise.reject(new Error('setup failed: exit code 1'))
    expect(await decide({ run: 'true' }, { restore })).toEqual(undecided('could not be rebuilt: setup failed'))
  })
  test('an abort is no verdict', async () => {
    const signal = AbortSignal.timeout(200)
    await expect(decide({ run: 'sleep 30' }, { signal })).rejects.toThrow('timeout')
  })
})

test('it works on a copy: the outputs stay as they were, the copy is gone', async () => {
  const scene = await sceneWith(files)
  const run = 'echo 7 > sum.txt; rm -r deep; pwd'
  const verdict = await decideCheck(checkSchema.parse({ type: 'command', run }), scene)
  const cwd = 'evidence' in verdict ? verdict.evidence.replace('Exit code 0; output: ', '') : ''
  expect(path.isAbsolute(cwd) && !existsSync(cwd) && !existsSync(path.dirname(cwd))).toBe(true)
  expect(readFileSync(path.join(scene.outputsFolder, 'sum.txt'), 'utf8')).toBe('42\n')
})

test('what the agent left in evals/ is gone if a file of the suite is put there, else it stays', async () => {
  const source = path.join(await temporary(), 'a.txt')
  writeFileSync(source, 'a')
  const given = { path: 'a.txt', source, kind: 'file' as const, sha256: await hashFile(source), bytes: 1 }
  const left = await sceneWith({ 'evals/own.txt': '' }, { gradingFiles: [given] })
  const decideAt = (to: string) => {
    const check = { type: 'command', run: `cat ${to} && test -e evals/own.txt`, files: [{ from: 'a.txt', to }] }
    return decideCheck(checkSchema.parse(check), left)
  }
  expect(await decideAt('x/a.txt')).toEqual(passed('Exit code 0'))
  expect(await decideAt('evals/a.txt')).toEqual(failed('Exit code 1, not 0; output: a'))
})

test("pytest's settings that the agent left above the suite's tests are gone; without such tests they stay", async () => {
  const suite = await temporary()
  writeFileSync(path.join(suite, 'a.py'), '')
  const source = path.join(suite, 'a.py')
  const given = { path: 'a.py', source, kind: 'file' as const, sha256: await hashFile(source), bytes: 1 }
  const left = await sceneWith(
    { 'conftest.py': '', 'tests/pytest.ini': '', 'own/conftest.py': '' },
    { gradingFiles: [given] },
  )
  const listAt = (to: string) => {
    const run = 'find . -name "conftest.py" -o -name "pytest.ini" | sort | xargs'
    return decideCheck(checkSchema.parse({ type: 'command', run, files: [{ from: 'a.py', to }] }), left)
  }
  expect(await listAt('tests/test_sum.py')).toEqual(passed('output: ./own/conftest.py'))
  expect(await listAt('tests/sum.py')).toEqual(passed('output: ./conftest.py ./own/conftest.py ./tests/pytest.ini'))
  expect(await listAt('conftest.py')).toEqual(passed('./tests/pytest.ini'))
})

test("no other file that the agent created gives pytest options next to the suite's tests; without options it stays alone", async () => {
  const suite = await temporary()
  const source = path.join(suite, 'a.py')
  writeFileSync(source, '')
  const given = { path: 'a.py', source, kind: 'file' as const, sha256: await hashFile(source), bytes: 1 }
  const list = async (files: Record<string, string>, to = 'tests/test_sum.py', changes = {}) => {
    const scene = await sceneWith(files, { gradingFiles: [given], ...changes })
    const run = 'find . -type f ! -name "*.py" | sort | xargs'
    return decideCheck(checkSchema.parse({ type: 'command', run, files: [{ from: 'a.py', to }] }), scene)
  }
  for (const name of ['pyproject.toml', 'tox.ini', 'setup.cfg']) {
    const options = { [name]: '[tool."p\\u0079test".ini_options]' }
    expect(await list(options)).toEqual(passed([`./${name}`, './pytest.ini'].sort().join(' ')))
    expect(await list({ [name]: '[project]' })).toEqual(passed(`output: ./${name}`))
    expect(await list(options, 'sum.py')).toEqual(passed(`output: ./${name}`))
    const files = [{ path: name, bytes: 1, sha256: '', change: 'modified' as const }]
    const record = { ...workOf([]), outputs: { files, deleted: [], left_out: [] } }
    expect(await list(options, undefined, { record })).toEqual(passed(`output: ./${name}`))
  }
  expect(await list({ '.pytest.toml': '', 'x.dist-info/entry_points.txt': '', 'x.dist-info/METADATA': '' })).toEqual(
    passed('output: ./x.dist-info/METADATA'),
  )
})

test.runIf(process.platform === 'linux')('what it leaves running is ended', async () => {
  const file = path.join(await temporary(), 'pid')
  const run = `(setsid sleep 61 >/dev/null 2>&1 & echo $! > ${file})`
  expect(await decide({ run })).toEqual(passed('Exit code 0'))
  const pid = readFileSync(file, 'utf8').trim()
  const state = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] : 'gone'
  expect(['gone', 'Z']).toContain(state) // an orphan that nobody waits for stays as a zombie
})
