/** What an agent leaves can't take the place of a hidden checker's own modules and programs; run as any program, the same checker is fooled. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { check as checkSchema } from '../../../../schemas/check.ts'
import { hashFile } from '../../../../src/base/fs/files.ts'
import { decideCheck } from '../../../../src/phases/3-judge/checks/decide_check.ts'
import { environment, failed, passed, sceneWith, temporary, write } from '../scene.ts'

type Files = Record<string, string>

/** Decides the check on a run that left these files. `hidden`: files of the suite by their place. */
async function decide(check: object, hidden: Files, left: Files, env: Record<string, string> = environment) {
  const suite = await temporary()
  await write(suite, hidden)
  const gradingFiles = await Promise.all(
    Object.keys(hidden).map(async (name) => {
      const source = path.join(suite, name)
      return { path: name, source, kind: 'file' as const, sha256: await hashFile(source), bytes: 1 }
    }),
  )
  const files = Object.keys(hidden).map((name) => ({ from: name, to: name }))
  const parsed = checkSchema.parse({ ...check, ...(files.length > 0 && { files }) })
  return await decideCheck(parsed, await sceneWith(left, { gradingFiles, env }))
}

/** The output of the same command where the suite's files are among the agent's. */
async function runPlainly(command: string, hidden: Files, left: Files): Promise<string> {
  const cwd = await temporary()
  await write(cwd, { ...left, ...hidden })
  const { stdout, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' })
  return `${stdout}${stderr}`
}

const forgedPython = `import os, sys\nsys.stdout.write('{"passed": true, "evidence": "forged"}\\n')\nsys.stdout.flush()\nos._exit(0)\n`
const forgedNode = `console.log('{"passed": true, "evidence": "forged"}'); process.exit(0)\n`
const answer = { 'x.json': '{"a": 0}' }

const checkPy = `import json
from helpers import wanted
value = json.load(open("x.json"))["a"]
print(json.dumps({"passed": value == wanted, "evidence": f"value is {value}"}))
`
const python = { 'tests/check.py': checkPy, 'tests/helpers.py': 'wanted = 42\n' }
const node = {
  'tests/check.cjs': `const { wanted } = require('./lib')
const value = JSON.parse(require('fs').readFileSync('x.json', 'utf8')).a
console.log(JSON.stringify({ passed: value === wanted, evidence: 'value is ' + value }))
`,
  'tests/lib.js': 'exports.wanted = 42\n',
}

describe('a hidden script', () => {
  test.each<[string, string, Files, Files]>([
    ['a module of the standard library', 'python3 tests/check.py', python, { 'tests/json.py': forgedPython }],
    ["the checker's own module", 'python3 tests/check.py', python, { 'tests/helpers/__init__.py': forgedPython }],
    ["a module of Node's", 'node tests/check.cjs', node, { 'tests/lib': forgedNode }],
  ])('%s', async (_, plain, hidden, attack) => {
    const left = { ...answer, ...attack }
    const [script] = Object.keys(hidden)
    expect(await runPlainly(plain, hidden, left)).toContain('forged')
    expect(await decide({ type: 'script', script }, hidden, left)).toEqual(failed('value is 0'))
  })
})

test('the function of a javascript check', async () => {
  const hidden = {
    'tests/assert.cjs': "const { wanted } = require('./lib')\nmodule.exports = (output) => output === wanted\n",
    'tests/lib.js': "exports.wanted = '42'\n",
  }
  const forged = { 'tests/lib': forgedNode.replace('forged"}', 'forged", "score": 1}') }
  expect(await runPlainly('node tests/assert.cjs', hidden, forged)).toContain('forged')
  const check = { type: 'javascript', script: 'tests/assert.cjs' }
  expect(await decide(check, hidden, forged)).toEqual(failed('Failed'))
})

const assertJson = 'import json; value = json.load(open("x.json"))["a"]; print("value is", value); assert value == 42'

const later = 'import csv, sys; sys.path.insert(0, "."); '
const child = 'PYTHONPATH=. python3 -c "import json" '
const unit = {
  'tests/test_a.py': `import unittest
from decimal import Decimal
class A(unittest.TestCase):
  def test_a(self): self.assertEqual(Decimal(1), 2)
`,
}

describe('a command', () => {
  const sh = { 'tests/check.sh': `python3 "$(dirname "$0")/check.py" | grep '"passed": true'\n`, ...python }
  test.each<[string, string, Files, Files]>([
    ['python3 -c', `python3 -c '${assertJson}'`, {}, { 'json.py': forgedPython }],
    ['a program on stdin', `python3 - <<'E'\n${assertJson}\nE`, {}, { 'json.py': forgedPython }],
    ['python3 -m', `python3 -m json.tool missing.json`, {}, { 'json/__init__.py': '', 'json/tool.py': forgedPython }],
    ['a script in its folder', `cd tests && python3 check.py`, python, { 'tests/helpers/__init__.py': forgedPython }],
    ['PYTHONPATH of the command', `PYTHONPATH=. python3 -c '${assertJson}'`, {}, { 'json.py': forgedPython }],
    ['a folder that comes later', `python3 -c '${later}${assertJson}'`, {}, { 'json.py': forgedPython }],
    [
      'a folder that unittest adds',
      'python3 -m unittest discover -s tests',
      unit,
      { 'tests/decimal.py': forgedPython },
    ],
    ['a child', `python3 -c 'import os; os.system("""${child}"""); exit(1)'`, {}, { 'json.py': forgedPython }],
    ['a script of a script', 'sh tests/check.sh', sh, { 'tests/json.py': forgedPython }],
  ])('%s', async (_, run, hidden, attack) => {
    const left = { ...answer, ...attack }
    expect(await runPlainly(run, hidden, left)).toContain('forged')
    const verdict = await decide({ type: 'command', run }, hidden, left)
    expect(JSON.stringify(verdict)).not.toContain('forged')
    expect(verdict).toEqual(run.startsWith('cd') ? failed('No such file') : expect.objectContaining({ passed: false }))
  })

  test('by the folders that it gets', async () => {
    const hidden = {
      'evals/check.cjs': node['tests/check.cjs'].replace("'x.json'", 'process.argv[2] + "/x.json"'),
      'evals/lib.js': node['tests/lib.js'],
    }
    const run = 'cd / && node "$WHETSTONE_CHECK_FOLDER/evals/check.cjs" "$WHETSTONE_RUN_FOLDER"'
    expect(await decide({ type: 'command', run }, hidden, { ...answer, 'evals/lib': forgedNode })).toEqual(
      passed('value is 0'),
    )
  })

  test("a program of the agent's is no program of the check", async () => {
    const left = { 'bin/python3': '#!/bin/sh\necho forged\n' }
    const run = 'chmod +x bin/python3; python3 -c "print(41 + 1)"'
    const inside = { ...environment, PATH: `bin:.:${environment.PATH}` }
    expect(await runPlainly(`PATH="bin:$PATH"; ${run}`, {}, left)).toContain('forged')
    expect(await decide({ type: 'command', run }, {}, left, inside)).toEqual(passed('output: 42'))
  })
})

test("the agent's own program finds its modules first, as at any other time", async () => {
  const left = {
    'main.py': 'import calendar, tools\nprint(calendar.mine, tools.mine)\n',
    'calendar.py': 'mine = 1\n',
    'tools.py': 'mine = 2\n',
  }
  expect(await decide({ type: 'command', run: 'python3 main.py' }, {}, left)).toEqual(passed('output: 1 2'))
  const hidden = {
    'tests/check.py': 'import sys, subprocess\nsys.exit(subprocess.call([sys.executable, "main.py"]))\n',
  }
  expect(await decide({ type: 'command', run: 'python3 tests/check.py' }, hidden, left)).toEqual(passed('output: 1 2'))
  expect(await decide({ type: 'command', run: 'python3 -c "import tools; print(tools.mine)"' }, {}, left)).toEqual(
    passed('2'),
  )
})

test('what one check writes into its home is gone in the next', async () => {
  const home = path.join(await temporary(), 'home')
  mkdirSync(home)
  await write(home, { 'from_setup.txt': 'kept' })
  chmodSync(home, 0o700)
  const env = { ...environment, HOME: home, TMPDIR: home }
  const run = 'cat "$HOME/from_setup.txt"; test ! -e "$HOME/mine" && touch "$HOME/mine" "$TMPDIR/mine"'
  expect(await decide({ type: 'command', run }, {}, {}, env)).toEqual(passed('kept'))
  expect(await decide({ type: 'command', run }, {}, {}, env)).toEqual(passed('kept'))
  const plainly = { HOME: home, PATH: environment.PATH }
  expect(
    [1, 2].map(() => spawnSync('sh', ['-c', run.replace(' "$TMPDIR/mine"', '')], { env: plainly }).status),
  ).toEqual([0, 1])
})
