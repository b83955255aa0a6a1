/** JUnit and GitHub reports: valid against the schema whatever a run said, with each end told. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Benchmark, benchmark } from '../../../../schemas/benchmark.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { toGithub } from '../../../../src/phases/4-report/text/github.ts'
import { benchmarkHeadline } from '../../../../src/phases/4-report/text/headline.ts'
import { toJunit } from '../../../../src/phases/4-report/text/junit_report.ts'
import { arm, inputOf, type Line } from '../fixture.ts'
import { mistakes } from '../xml_schema.ts'

const golden = benchmark.parse(
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../golden/benchmark.json'), 'utf8')),
)
const gates = [
  { gate: 'ci_low > 0', passed: false, value: -0.1, message: 'is -0.1' },
  { gate: 'cost <= 5', passed: true, value: 1, message: 'is 1' },
]

/** The golden benchmark, in which a first expectation has this text and evidence, and another run was not made. */
function said(text: string): Benchmark {
  const [first, ...rest] = golden.runs
  if (first === undefined) throw new Error('the golden benchmark has runs')
  const expectations = [{ text, passed: false, evidence: text }]
  const missing = { eval_id: first.eval_id, eval_name: text, configuration: 'with_skill', run_number: 9, kind: null }
  const excluded = [{ ...missing, reason: 'failed' as const, message: text }]
  return { ...golden, runs: [{ ...first, eval_name: text, expectations }, ...rest], excluded_runs: excluded }
}

function junitOf(lines: readonly Line[], changes: Parameters<typeof inputOf>[1] = {}) {
  const made = aggregate(inputOf(lines, changes))
  const xml = toJunit([{ name: 'quick', benchmark: made, gates: [] }])
  /** What stands in the test case of an expectation. */
  const of = (text: string) => {
    const [, rest = ''] = xml.split(`<testcase name="${text}"`)
    const [head = '', inner = ''] = (rest.split('</testcase>')[0] ?? '').split(/>\n/)
    return head.endsWith('/') ? '' : rest.slice(head.length + 1, rest.indexOf('</testcase>')).trim() || inner
  }
  return { xml, of }
}

describe('junit', () => {
  test('is valid; gates, expectations and broken runs are its test cases', async () => {
    const xml = toJunit([{ name: 'quick', benchmark: said('the <sum> & "more"'), gates }])
    expect(await mistakes(xml)).toEqual([])
    expect(xml).toContain('<testcase name="ci_low &gt; 0" classname="quick.gates" time="0.000">')
    expect(xml).toContain('<failure message="is -0.1">ci_low &gt; 0: is -0.1</failure>')
    expect(xml).toContain('<testcase name="cost &lt;= 5" classname="quick.gates" time="0.000"/>')
    expect(xml).toContain('name="the &lt;sum&gt; &amp; &quot;more&quot;"')
    expect(xml).toMatch(/<error message="failed">the &lt;sum&gt;/)
  })
  test('a test case an expectation: met in every run, in some, in none; each with its runs', async () => {
    const { xml, of } = junitOf([
      ...arm(1, 'with_skill', ['++-', '+--', '+--']),
      ...arm(1, 'without_skill', ['---', '---', '---']),
    ])
    expect(await mistakes(xml)).toEqual([])
    expect(of('The total is 1284.50')).toBe('')
    expect(of('The report names every region')).toBe(
      '<failure message="not met in 2 of 3 runs">run 2: Not found in the answer or the outputs\nrun 3: Not found in the answer or the outputs</failure>',
    )
    expect(of('The script was run')).toContain('message="not met in 3 of 3 runs">run 1: ')
    expect(xml).toContain('<testsuite name="quick" tests="3" failures="2" errors="0" skipped="0" time="30.000"')
    expect(xml.match(/<testcase [^>]*time="10\.000"/g)).toHaveLength(3)
  })
  test('what has no grade is an error, or skipped where that is by design', async () => {
    const broken = { status: 'failed', error: { kind: 'crash', message: 'fell over' } }
    const lines = [
      ...arm(1, 'with_skill', ['+']),
      ...arm(2, 'with_skill', [null], { record: broken }),
      ...arm(3, 'with_skill', [null]),
    ]
    const cases = [1, 2, 3, 4].map((eval_id) => {
      const cannot_run = eval_id === 4 ? 'needs turns' : null
      const none = eval_id === 3 ? { expectations: [], checks: [] } : {}
      return { eval_id, eval_key: null, eval_name: `case-${eval_id}`, cannot_run, ...none }
    })
    const { xml } = junitOf(lines, { cases })
    expect(await mistakes(xml)).toEqual([])
    expect(xml).toMatch(
      /<testcase name="run 1" classname="quick\.2 [^>]*>\s*<error message="failed">fell over<\/error>/,
    )
    expect(xml).toMatch(/<testcase name="run 1" classname="quick\.3 [^>]*>\s*<skipped message="ungraded">/)
    expect(xml).toMatch(
      /<testcase name="runs" classname="quick\.4 [^>]*>\s*<skipped message="no run">with skill has no run</,
    )
    expect(xml).toMatch(/<testsuite name="quick" tests="4" failures="0" errors="1" skipped="2"/)
  })
  test('counts what it lists', () => {
    const xml = toJunit([
      { name: 'a', benchmark: said('x'), gates },
      { name: 'b', benchmark: golden, gates: [] },
    ])
    const listed = (name: string) => xml.split(`<${name}`).length - 1
    const root = /<testsuites [^>]*tests="(\d+)" failures="(\d+)" errors="(\d+)"/.exec(xml)?.slice(1).map(Number)
    expect(root).toEqual([listed('testcase '), listed('failure '), listed('error ')])
    expect(xml.split('<testsuite ')).toHaveLength(3)
  })
  test('stays valid whatever a run said', async () => {
    const controls = ['\u0000\u0008\u001b[31m', '\uD800', '\uFFFE']
    const hostile = [...controls, '</failure></testcase>', ']]>', '&#x0;', '<!DOCTYPE x>']
    const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 40 }), { numRuns: 40, seed: 1 })
    const xml = toJunit([...hostile, ...texts].map((text) => ({ name: text, benchmark: said(text), gates })))
    expect(await mistakes(xml)).toEqual([])
  })
  test('the schema sees a mistake', async () => {
    const xml = toJunit([{ name: 'a', benchmark: golden, gates }])
    expect(await mistakes(xml.replace('<testsuite ', '<testsuite odd="1" '))).not.toEqual([])
    expect(await mistakes(xml.replaceAll('classname=', 'class='))).not.toEqual([])
  })
})

describe('github', () => {
  test('a notice, an error for each failing gate, a warning where incomplete and where cases were left out', () => {
    const lines = toGithub([{ name: 'a:b,c', benchmark: { ...golden, complete: false }, gates }])
    expect(lines.map((line) => line.split('::')[1])).toEqual([
      'notice title=a%3Ab%2Cc',
      'warning title=a%3Ab%2Cc',
      'warning title=a%3Ab%2Cc',
      'error title=a%3Ab%2Cc',
    ])
    expect(lines.at(-1)).toContain('gate failed: ci_low > 0: is -0.1')
  })
  test('a name makes no command of its own', () => {
    const odd = { ...golden, metadata: { ...golden.metadata, skill_name: 'x' } }
    const gate = { gate: 'a\n::error::forged', passed: false, value: null, message: '50%\r\n::add-mask::x' }
    const lines = toGithub([{ name: 'x\n::error::forged', benchmark: odd, gates: [gate] }])
    expect(lines.join('\n')).not.toMatch(/^::(error::forged|add-mask)/m)
    expect(lines.join('\n').split('\n')).toHaveLength(lines.length)
  })
})

test('a name of a configuration makes no line of its own, in which a CI system could read a command', async () => {
  const attack = JSON.stringify('\u001b[31m\n::error::pwn').slice(1, -1)
  const text = JSON.stringify(golden).replaceAll(
    /with(?:out)?_skill/g,
    (name) => `${name.replace('skill', 'tool')}${attack}`,
  )
  const made = benchmark.parse(JSON.parse(text))
  expect(benchmarkHeadline(made)).toContain('\n::error::pwn')
  const reported = [{ name: 'quick', benchmark: made, gates: [] }]
  const xml = toJunit(reported)
  expect(await mistakes(xml)).toEqual([])
  const lines = toGithub(reported).map((line) => line.replace(/^::(?:notice|warning)/, ''))
  const all = [...lines, xml].join('\n')
  expect(all).not.toMatch(/^\s*::/m)
  expect(all).not.toContain('\u001b')
})
