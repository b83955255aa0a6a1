/** Readers of verifiers' reports: score and tests, or why there is no verdict. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCtrf } from '../../../../../src/phases/3-judge/checks/results/ctrf.ts'
import { readJsonReport } from '../../../../../src/phases/3-judge/checks/results/json.ts'
import { readJunit } from '../../../../../src/phases/3-judge/checks/results/junit.ts'
import { readReward } from '../../../../../src/phases/3-judge/checks/results/reward.ts'
import { readScoreLine } from '../../../../../src/phases/3-judge/checks/results/score_line.ts'
import { readVerifierResult } from '../../../../../src/phases/3-judge/checks/results/verifier_folder.ts'
import { temporary } from '../../scene.ts'

const undecided = (why: string) => expect.objectContaining({ error: expect.stringContaining(why) })

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
      '<testsuites><testsuite><testsuite><testcase name="a"/></testsuite></testsuite></testsuites>',
      { score: 1, tests: [{ name: 'a', passed: true }] },
    ],
    [
      '<testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>',
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
