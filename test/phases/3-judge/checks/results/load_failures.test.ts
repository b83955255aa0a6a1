/** Tests that could not be loaded: a fail if the agent left out what the case names, otherwise undecided. */
import { describe, expect, test } from 'vitest'
import { readCtrf } from '../../../../../src/phases/3-judge/checks/results/ctrf.ts'
import { readJunit } from '../../../../../src/phases/3-judge/checks/results/junit.ts'
import { decideLoadFailure } from '../../../../../src/phases/3-judge/checks/results/load_failures.ts'

const asked = {
  prompt: 'Write calc.py with add, and out.json. Use numpy.array.',
  expected_output: null,
  reference: null,
}
const pytest = (cause: string) =>
  `ImportError while importing test module '/tests/test_calc.py'.\ntests/test_calc.py:1: in <module>\n    from calc import add\nE   ${cause}`
const ctrf = (message: string) =>
  readCtrf(
    JSON.stringify({
      results: { tests: [{ name: 'x', status: 'failed', message: `collection failure: ${message}` }] },
    }),
  )
const fail = { score: 0, tests: [expect.objectContaining({ passed: false })] }
const undecided = expect.objectContaining({ error: expect.any(String) })

describe('by what the message names', () => {
  test.each([
    ['a module that the prompt names as a file', pytest("ModuleNotFoundError: No module named 'calc'"), fail],
    ['a name that its module lacks', pytest("ImportError: cannot import name 'add' from 'calc' (/app/calc.py)"), fail],
    ['a mistake inside of it', pytest('  File "/app/calc.py", line 1\nE   SyntaxError: invalid syntax'), fail],
    ['Jest', "Test suite failed to run\n Cannot find module '../calc' from 'calc.test.js'", fail],
    ['a package of this machine', pytest("ModuleNotFoundError: No module named 'numpy'"), undecided],
    ['a module that only the tests use', pytest("ModuleNotFoundError: No module named 'helper'"), undecided],
    ['a mistake in the tests', 'tests/test_calc.py:3: SyntaxError: invalid syntax', undecided],
  ])('%s', (_, message, result) => expect(decideLoadFailure(ctrf(message), '', asked)).toEqual(result))
})

test('the reference names files too, also as packages', () => {
  const report = ctrf(pytest("ModuleNotFoundError: No module named 'shapes'"))
  const reference = { files: { 'shapes/__init__.py': '' } }
  expect(decideLoadFailure(report, '', { ...asked, reference })).toEqual(fail)
  expect(decideLoadFailure(report, '', asked)).toEqual(undecided)
})

test('a test file that the prompt names does not make each failure one of the agent', () => {
  const prompt = 'Let test_calc.py pass.'
  const report = ctrf(pytest("ModuleNotFoundError: No module named 'numpy'"))
  expect(decideLoadFailure(report, '', { ...asked, prompt })).toEqual(undecided)
})

test('JUnit of pytest, and a report without tests, where the output says it', async () => {
  const text = pytest("ModuleNotFoundError: No module named 'calc'").replaceAll('<', '&lt;')
  const junit = `<testsuite><testcase name="t"><error message="collection failure">${text}</error></testcase></testsuite>`
  expect(decideLoadFailure(await readJunit(junit), '', asked)).toEqual(fail)
  const none = readCtrf('{"results": {"tests": []}}')
  expect(decideLoadFailure(none, "E   ModuleNotFoundError: No module named 'calc'", asked)).toEqual({
    score: 0,
    tests: [],
  })
  expect(decideLoadFailure(none, 'no tests ran', asked)).toEqual(undecided)
})

test('an unreadable report and a score stay as they are', () => {
  const broken = readCtrf('{')
  expect(decideLoadFailure(broken, "No module named 'calc'", asked)).toBe(broken)
  const passed = readCtrf('{"results": {"tests": [{"name": "a", "status": "passed"}]}}')
  expect(decideLoadFailure(passed, "No module named 'calc'", asked)).toBe(passed)
})
