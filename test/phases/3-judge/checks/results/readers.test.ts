/** Readers of verifiers' reports: score and tests, or why there is no verdict; and what tests that could not be loaded mean. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readJsonReport, readScoreLine } from '../../../../../src/phases/3-judge/checks/command.ts'
import { readCtrf } from '../../../../../src/phases/3-judge/checks/results/ctrf.ts'
import { readJunit } from '../../../../../src/phases/3-judge/checks/results/junit.ts'
import { decideLoadFailure } from '../../../../../src/phases/3-judge/checks/results/load_failures.ts'
import { readReward, readVerifierResult } from '../../../../../src/phases/3-judge/checks/results/verifier_folder.ts'
import { decideVerifier } from '../../../../../src/phases/3-judge/checks/script.ts'
import { sceneWith, temporary, write } from '../../scene.ts'

const undecided = (why: string) => expect.objectContaining({ error: expect.stringContaining(why) })

test('the verdict of a Harbor verifier has its tests, if it names any', async () => {
  const scene = await sceneWith({})
  const folder = path.join(scene.outputsFolder, '../verifier')
  await write(folder, { 'reward.txt': '1' })
  const decide = () => decideVerifier({ type: 'verifier' }, scene)
  expect(await decide()).toEqual({ passed: true, score: 1, evidence: 'Reward 1' })
  await write(folder, { 'ctrf.json': '{"results": {"tests": [{"name": "a", "status": "passed"}]}}' })
  const tests = [{ name: 'a', passed: true }]
  expect(await decide()).toEqual({ passed: true, score: 1, tests, evidence: 'Reward 1; 1 of 1 tests passed' })
})

describe('score line', () => {
  test.each([
    ['installing\nscore: 0.75\n', { score: 0.75 }],
    ['Score = 1', { score: 1 }],
    ['score: .5\r\n\n', { score: 0.5 }],
    ['score: 1\nbye', undecided('last line of the output is not a score')],
    ['', undecided('last line of the output is not a score')],
    ['score: 1.5', undecided('1.5, not a number from 0 to 1')],
    ['score: 0x1', undecided('0x1, not a number')],
  ])('%j', (text, result) => expect(readScoreLine(text)).toEqual(result))
})

describe('JSON', () => {
  const half = [
    { name: 'a', passed: true },
    { name: 'b', passed: false, message: 'is 41' },
  ]
  test.each([
    [
      { score: 0.75, checks: half },
      { score: 0.75, tests: half },
    ],
    [{ checks: half }, { score: 0.5, tests: half }],
    [{ score: 1, checks: [] }, undecided('ran no test')],
    [{}, undecided('needs "score" or "checks"')],
    [{ score: '1' }, undecided('not a number')],
    [{ score: 1, checks: [{ name: 'a' }] }, undecided('checks[0].passed')],
  ])('%j', (value, result) => expect(readJsonReport(JSON.stringify(value))).toEqual(result))

  test('broken', () => expect(readJsonReport('{')).toEqual(undecided('not valid JSON')))
})

describe('JUnit', () => {
  test.each([
    [
      '<?xml version="1.0"?><testsuites><testsuite name="pytest"><testcase classname="t" name="a"/><testcase classname="t" name="b"><failure message="assert 1 &lt; 0">trace</failure></testcase></testsuite></testsuites>',
      {
        score: 0.5,
        tests: [
          { name: 't a', passed: true },
          { name: 't b', passed: false, message: 'assert 1 < 0' },
        ],
      },
    ],
    [
      '<testsuite><testcase name="a"><error>boom</error></testcase></testsuite>',
      { score: 0, tests: [expect.objectContaining({ message: 'boom' })] },
    ],
    [
      '<testsuites><testsuite><testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite></testsuite></testsuites>',
      { score: 1, tests: [{ name: 'a', passed: true }] },
    ],
    ['<testsuite><testcase name="a"><skipped/></testcase></testsuite>', undecided('all 1 were skipped')],
    ['<testsuite tests="3"></testsuite>', undecided('ran no test')],
    [
      '<testsuite><testcase name="test_x"><error message="collection failure">ImportError: mock</error></testcase></testsuite>',
      undecided('could not load its tests: collection failure'),
    ],
    [
      '<testsuite><testcase name="a"/><testcase name="x"><error message="collection failure"/></testcase></testsuite>',
      { score: 0.5, tests: expect.anything() },
    ],
    ['<testsuite><testcase name="a">', undecided('not valid XML')],
    ['<html><body/></html>', undecided('the JUnit report')],
  ])('%s', async (text, result) => expect(await readJunit(text)).toEqual(result))
})

describe('CTRF', () => {
  const report = (...tests: object[]) => JSON.stringify({ results: { tool: { name: 'pytest' }, summary: {}, tests } })
  test.each([
    [
      report(
        { name: 'a', status: 'passed' },
        { name: 'b', status: 'failed', message: 'is 41' },
        { name: 'c', status: 'skipped' },
      ),
      {
        score: 0.5,
        tests: [
          { name: 'a', passed: true },
          { name: 'b', passed: false, message: 'is 41' },
        ],
      },
    ],
    [
      report({ name: 'a', status: 'other', trace: 'line 1' }),
      { score: 0, tests: [{ name: 'a', passed: false, message: 'line 1' }] },
    ],
    [report(), undecided('ran no test')],
    [report({ name: 'a', status: 'pending' }), undecided('all 1 were skipped')],
    [report({ name: 'a', status: 'failed', message: 'collection failure' }), undecided('could not load its tests')],
    [report({ name: 'a' }), undecided('tests[0].status')],
    ['{}', undecided('results')],
  ])('%s', (text, result) => expect(readCtrf(text)).toEqual(result))
})

describe('reward', () => {
  test.each([
    ['1\n', { score: 1 }],
    ['', undecided('empty')],
    ['failed', undecided('failed, not a number')],
    ['{"reward": 0.5, "speed": 3}', { score: 0.5 }],
    ['{"accuracy": 0.5, "note": "x"}', { score: 0.5 }],
    ['{"a": 1, "b": 0}', undecided('several numbers (a, b)')],
    ['{', undecided('not valid JSON')],
  ])('%j', (text, result) => expect(readReward(text)).toEqual(result))
})

describe('the folder of a Harbor verifier', () => {
  const ctrf = (...tests: object[]) => JSON.stringify({ results: { tests } })
  const a = { name: 'a', status: 'passed' }
  const tests = [{ name: 'a', passed: true }]
  test.each([
    [{ 'reward.txt': '0' }, {}, { score: 0 }],
    [{ 'reward.txt': '0', 'reward.json': '{"reward": 0.5}' }, {}, { score: 0.5 }],
    [{ 'reward.txt': '0.5', 'ctrf.json': ctrf(a) }, { expectsTests: true }, { score: 0.5, tests }],
    [{ 'reward.txt': '0' }, { expectsTests: true }, undecided('wrote no ctrf.json')],
    [{ 'reward.txt': '1' }, { expectsTests: true }, { score: 1 }],
    [{ 'reward.txt': '0', 'ctrf.json': ctrf() }, {}, undecided('ran no test')],
    [{ 'reward.txt': '0', 'ctrf.json': '{' }, {}, undecided('not valid JSON')],
    [{ 'reward.txt': '' }, {}, undecided('empty')],
    [{ 'reward.txt/': '' }, {}, undecided('found a folder')],
    [{}, {}, undecided('wrote no reward')],
  ])('%j %j', async (files, options, result) => {
    const folder = await temporary()
    for (const [name, text] of Object.entries(files)) {
      if (name.endsWith('/')) mkdirSync(path.join(folder, name))
      else writeFileSync(path.join(folder, name), text)
    }
    expect(await readVerifierResult(folder, options)).toEqual(result)
  })
})

describe('tests that could not be loaded', () => {
  const asked = { prompt: 'Write calc.py with add. Use numpy.array.', expected_output: null, reference: null }
  const traced = (cause: string) =>
    `ImportError while importing test module '/tests/test_calc.py'.\ntests/test_calc.py:1: in <module>\nE   ${cause}`
  const lacks = (name: string) => traced(`ModuleNotFoundError: No module named '${name}'`)
  const report = (...tests: object[]) => readCtrf(JSON.stringify({ results: { tests } }))
  const unloaded = (message: string) =>
    report({ name: 'x', status: 'failed', message: `collection failure: ${message}` })
  const fail = { score: 0, tests: [expect.objectContaining({ passed: false })] }
  const open = undecided('')

  test.each([
    ['a module that the prompt names as a file', lacks('calc'), fail],
    ['a name that its module lacks', traced("ImportError: cannot import name 'add' from 'calc' (/app/calc.py)"), fail],
    ['a mistake inside of it', traced('  File "/app/calc.py", line 1\nE   SyntaxError: invalid syntax'), fail],
    ['Jest', "Test suite failed to run\n Cannot find module '../calc' from 'calc.test.js'", fail],
    ['a package of this machine', lacks('numpy'), open],
    ['a module that only the tests use', lacks('helper'), open],
    ['a mistake in the tests', 'tests/test_calc.py:3: SyntaxError: invalid syntax', open],
  ])('%s', (_, message, result) => expect(decideLoadFailure(unloaded(message), '', asked)).toEqual(result))

  test('the reference names files too, also as packages', () => {
    const reference = { files: { 'shapes/__init__.py': '' } }
    expect(decideLoadFailure(unloaded(lacks('shapes')), '', { ...asked, reference })).toEqual(fail)
    expect(decideLoadFailure(unloaded(lacks('shapes')), '', asked)).toEqual(open)
  })
  test('a test file that the prompt names does not make each failure one of the agent', () => {
    const prompt = 'Let test_calc.py pass.'
    expect(decideLoadFailure(unloaded(lacks('numpy')), '', { ...asked, prompt })).toEqual(open)
  })
  test('JUnit of pytest, and a report without tests, where the output says it', async () => {
    const junit = `<testsuite><testcase name="t"><error message="collection failure">${lacks('calc').replaceAll('<', '&lt;')}</error></testcase></testsuite>`
    expect(decideLoadFailure(await readJunit(junit), '', asked)).toEqual(fail)
    expect(decideLoadFailure(report(), lacks('calc'), asked)).toEqual({ score: 0, tests: [] })
    expect(decideLoadFailure(report(), 'no tests ran', asked)).toEqual(open)
  })
  test('an unreadable report and a score stay as they are', () => {
    for (const read of [readCtrf('{'), report({ name: 'a', status: 'passed' })])
      expect(decideLoadFailure(read, lacks('calc'), asked)).toBe(read)
  })
})
