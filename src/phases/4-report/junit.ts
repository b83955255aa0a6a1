/** JUnit XML of benchmarks: gates, and each expectation of the candidate's arm, as test cases that CI systems list. */
import type { Benchmark, BenchmarkRun, CaseRow } from '../../../schemas/benchmark.ts'
import { armsOf } from './arms.ts'
import { rowsOf } from './case_rows.ts'
import type { GateResult } from './gate/judge.ts'
import { headline } from './summary_table.ts'
import { armLabel, visible } from './words.ts'

/** A benchmark and what it was held against. */
export interface Reported {
  /** What tells it from the others: the skill, and the cell of a matrix. */
  name: string
  benchmark: Benchmark
  gates: readonly GateResult[]
}

interface TestCase {
  classname: string
  name: string
  seconds: number
  end: { kind: 'passed' } | { kind: 'failure' | 'error' | 'skipped'; message: string; text: string }
}

/** One testsuite a benchmark. A case fails where a run of the candidate's arm did not meet the expectation; an error is a run without a grade. */
export function toJunit(all: readonly Reported[]): string {
  const suites = all.map((one) => ({ one, tests: testsOf(one) }))
  const total = suites.flatMap(({ tests }) => tests)
  const { skipped: _, ...counted } = counts(total) // the root has no such attribute
  const attributes = { name: 'whetstone', ...counted }
  const body = suites.map(({ one, tests }) => suiteXml(one, tests)).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tag('testsuites', attributes, body, 0)}`
}

function suiteXml({ name, benchmark }: Reported, tests: readonly TestCase[]): string {
  const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(benchmark.metadata.timestamp)?.[0]
  const attributes = { name, ...counts(tests), ...(timestamp === undefined ? {} : { timestamp }) }
  const said = tag('system-out', {}, escaped(headline(benchmark)), 2)
  return tag('testsuite', attributes, `${tests.map(testXml).join('')}${said}`, 1)
}

function counts(tests: readonly TestCase[]) {
  const of = (kind: string) => tests.filter(({ end }) => end.kind === kind).length
  const time = tests.reduce((sum, { seconds }) => sum + seconds, 0)
  return {
    tests: tests.length,
    failures: of('failure'),
    errors: of('error'),
    skipped: of('skipped'),
    time: time.toFixed(3),
  }
}

function testXml({ classname, name, seconds, end }: TestCase): string {
  const inner = end.kind === 'passed' ? '' : tag(end.kind, { message: end.message }, escaped(end.text), 3)
  return tag('testcase', { name, classname, time: seconds.toFixed(3) }, inner, 2)
}

function tag(name: string, attributes: Record<string, string | number>, inner: string, depth: number): string {
  const indent = '  '.repeat(depth)
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`)
  if (inner === '') return `${indent}<${name}${written.join('')}/>\n`
  const isText = !inner.startsWith('  ')
  return `${indent}<${name}${written.join('')}>${isText ? inner : `\n${inner}${indent}`}</${name}>\n`
}

/** What XML 1.0 can't hold is shown, never written: a report that no reader opens is none. */
function escaped(text: string): string {
  return visible(text)
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function testsOf({ name, benchmark, gates }: Reported): TestCase[] {
  return [
    ...gates.map((gate) => gateTest(name, gate)),
    ...rowsOf(benchmark).flatMap((row) => caseTests(name, benchmark, row)),
  ]
}

function gateTest(name: string, { gate, passed, message }: GateResult): TestCase {
  const end = passed
    ? ({ kind: 'passed' } as const)
    : ({ kind: 'failure', message, text: `${gate}: ${message}` } as const)
  return { classname: `${name}.gates`, name: gate, seconds: 0, end }
}

function caseTests(name: string, benchmark: Benchmark, row: CaseRow): TestCase[] {
  const { candidate } = armsOf(benchmark)
  const own = (run: { eval_id: number; configuration: string }) =>
    run.eval_id === row.eval_id && run.configuration === candidate
  const runs = benchmark.runs.filter(own)
  const classname = `${name}.${row.eval_id} ${row.eval_name}`
  const broken = (benchmark.excluded_runs ?? []).filter(own).map(({ run_number, reason, message }): TestCase => {
    const isByDesign = reason === 'ungraded' || reason === 'cannot_run'
    const end = { kind: isByDesign ? ('skipped' as const) : ('error' as const), message: reason, text: message }
    return { classname, name: `run ${run_number}`, seconds: 0, end }
  })
  const texts = [...new Set(runs.flatMap((run) => run.expectations.map(({ text }) => text)))]
  const each = runs.reduce((sum, { result }) => sum + (result.time_seconds ?? 0), 0) / Math.max(1, texts.length)
  const asked = texts.map((text): TestCase => ({ classname, name: text, seconds: each, end: endOf(text, runs) }))
  if (asked.length + broken.length > 0) return [...asked, ...broken]
  const end = { kind: 'skipped' as const, message: 'no run', text: `${armLabel(candidate ?? '')} has no run` }
  return [{ classname, name: 'runs', seconds: 0, end }]
}

function endOf(text: string, runs: readonly BenchmarkRun[]): TestCase['end'] {
  const verdicts = runs.flatMap((run) =>
    run.expectations.filter((one) => one.text === text).map((one) => ({ ...one, run: run.run_number })),
  )
  const failed = verdicts.filter(({ passed }) => !passed)
  if (failed.length === 0) return { kind: 'passed' }
  const message = `not met in ${failed.length} of ${verdicts.length} runs`
  return { kind: 'failure', message, text: failed.map(({ run, evidence }) => `run ${run}: ${evidence}`).join('\n') }
}
