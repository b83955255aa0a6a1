/** JUnit and GitHub reports: valid against the schema whatever a run said, with each end told. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { type Benchmark, benchmark } from '../../../schemas/benchmark.ts'
import { toGithub } from '../../../src/phases/4-report/github.ts'
import { toJunit } from '../../../src/phases/4-report/junit.ts'

const schema = readFileSync(path.join(import.meta.dirname, 'fixtures/junit.xsd'), 'utf8')
const golden = benchmark.parse(
  JSON.parse(readFileSync(path.join(import.meta.dirname, 'golden/benchmark.json'), 'utf8')),
)
const gates = [
  { gate: 'ci_low > 0', passed: false, value: -0.1, message: 'is -0.1' },
  { gate: 'cost <= 5', passed: true, value: 1, message: 'is 1' },
]

async function mistakes(xml: string): Promise<string[]> {
  const { errors } = await validateXML({ xml: [{ fileName: 'report.xml', contents: xml }], schema: [schema] })
  return errors.map(({ message }) => message)
}

/** The golden benchmark, in which a first expectation has this text and evidence, and another run was not made. */
function said(text: string): Benchmark {
  const [first, ...rest] = golden.runs
  if (first === undefined) throw new Error('the golden benchmark has runs')
  const expectations = [{ text, passed: false, evidence: text }]
  const missing = { eval_id: first.eval_id, eval_name: text, configuration: 'with_skill', run_number: 9, kind: null }
  const excluded = [{ ...missing, reason: 'failed' as const, message: text }]
  return { ...golden, runs: [{ ...first, eval_name: text, expectations }, ...rest], excluded_runs: excluded }
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
    const hostile = [
      '</failure></testcase>',
      ']]>',
      '\u0000\u0008\u001b[31m',
      '\uD800',
      '\uFFFE',
      '&#x0;',
      '<!DOCTYPE x>',
    ]
    for (const text of hostile)
      expect(await mistakes(toJunit([{ name: text, benchmark: said(text), gates }])), text).toEqual([])
    const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 40 }), { numRuns: 40, seed: 1 })
    const xml = toJunit(texts.map((text) => ({ name: text, benchmark: said(text), gates })))
    expect(await mistakes(xml)).toEqual([])
  })
  test('the schema sees a mistake', async () => {
    const xml = toJunit([{ name: 'a', benchmark: golden, gates }])
    expect(await mistakes(xml.replace('<testsuite ', '<testsuite odd="1" '))).not.toEqual([])
    expect(await mistakes(xml.replaceAll('classname=', 'class='))).not.toEqual([])
  })
})

describe('github', () => {
  test('a notice, an error for each failing gate, a warning where incomplete', () => {
    const lines = toGithub([{ name: 'a:b,c', benchmark: { ...golden, complete: false }, gates }])
    expect(lines.map((line) => line.split('::')[1])).toEqual([
      'notice title=a%3Ab%2Cc',
      'warning title=a%3Ab%2Cc',
      'error title=a%3Ab%2Cc',
    ])
    expect(lines.at(-1)).toContain('gate failed: ci_low > 0: is -0.1')
  })
  test('a name makes no command of its own', () => {
    const odd = { ...golden, metadata: { ...golden.metadata, skill_name: 'x' } }
    const gate = { gate: 'a\n::error::forged', passed: false, value: null, message: '50%\r\n::add-mask::x' }
    const lines = toGithub([{ name: 'x\n::error::forged', benchmark: odd, gates: [gate] }])
    expect(
      lines
        .join('\n')
        .split('\n')
        .filter((line) => /^::(error::forged|add-mask)/.test(line)),
    ).toEqual([])
    expect(lines.join('\n').split('\n')).toHaveLength(lines.length)
  })
})
