/** JUnit XML for CI systems, with all outside text escaped: of benchmarks it has gates and the candidate's expectations as test cases. */
import type { Benchmark, BenchmarkRun, CaseRow } from '../../../../schemas/benchmark.ts'
import { makeVisible } from '../../../base/text/show_control_characters.ts'
import { findArms } from '../benchmark/arms.ts'
import { readCaseRows } from '../benchmark/case_rows.ts'
import type { GateOutcome } from '../gate/check_gates.ts'
import { suspiciousLine } from '../judge/suspicious_runs.ts'
import { formatConfiguration } from './format.ts'
import { benchmarkHeadline } from './headline.ts'
import { coverageSentences } from './selected_cases.ts'

/** A benchmark and the outcomes of its gates. */
export interface ReportedBenchmark {
  /** Identifies it among others: the skill, and the cell of a matrix. */
  name: string
  benchmark: Benchmark
  gates: readonly GateOutcome[]
}

/** One testsuite per benchmark. A test fails if a run of the candidate fails the expectation; a run without a grade is an error. */
export function toJunit(all: readonly ReportedBenchmark[]): string {
  return suitesXml(
    all.map((one) => ({
      name: one.name,
      tests: listBenchmarkTests(one),
      timestamp: one.benchmark.metadata.timestamp,
      headline: [benchmarkHeadline(one.benchmark), suspiciousLine(one.benchmark), ...coverageSentences(one.benchmark)]
        .filter((text) => text !== null)
        .join(' '),
    })),
  )
}

function listBenchmarkTests({ name, benchmark, gates }: ReportedBenchmark): TestCase[] {
  return [
    ...gates.map((gate) => gateTest(name, gate)),
    ...readCaseRows(benchmark).flatMap((row) => caseTests(name, benchmark, row)),
  ]
}

/** `name`: of the result that the gate checks. */
export function gateTest(name: string, { gate, passed, message }: GateOutcome): TestCase {
  const end = passed
    ? ({ kind: 'passed' } as const)
    : ({ kind: 'failure', message, text: `${gate}: ${message}` } as const)
  return { classname: `${name}.gates`, name: gate, seconds: 0, end }
}

function caseTests(name: string, benchmark: Benchmark, row: CaseRow): TestCase[] {
  const { candidate } = findArms(benchmark)
  const own = (run: { eval_id: number; configuration: string }) =>
    run.eval_id === row.eval_id && run.configuration === candidate
  const { owners } = row
  const runs = benchmark.runs.filter(own)
  const classname = `${name}.${row.eval_id} ${row.eval_name}`
  const broken = (benchmark.excluded_runs ?? []).filter(own).map(({ run_number, reason, message }): TestCase => {
    const isByDesign = ['ungraded', 'cannot_run', 'quarantined'].includes(reason)
    const end = { kind: isByDesign ? ('skipped' as const) : ('error' as const), message: reason, text: message }
    return { classname, name: `run ${run_number}`, seconds: 0, end, owners }
  })
  const texts = [...new Set(runs.flatMap((run) => run.expectations.map(({ text }) => text)))]
  const each = runs.reduce((sum, { result }) => sum + (result.time_seconds ?? 0), 0) / Math.max(1, texts.length)
  const asked = texts.map(
    (text): TestCase => ({ classname, name: text, seconds: each, end: toExpectationEnd(text, runs), owners }),
  )
  if (asked.length + broken.length > 0) return [...asked, ...broken]
  const end = {
    kind: 'skipped' as const,
    message: 'no run',
    text: `${formatConfiguration(candidate ?? '')} has no run`,
  }
  return [{ classname, name: 'runs', seconds: 0, end, owners }]
}

function toExpectationEnd(text: string, runs: readonly BenchmarkRun[]): TestCase['end'] {
  const verdicts = runs.flatMap((run) =>
    run.expectations.filter((one) => one.text === text).map((one) => ({ ...one, run: run.run_number })),
  )
  const failed = verdicts.filter(({ passed }) => !passed)
  if (failed.length === 0) return { kind: 'passed' }
  const message = `not met in ${failed.length} of ${verdicts.length} runs`
  return { kind: 'failure', message, text: failed.map(({ run, evidence }) => `run ${run}: ${evidence}`).join('\n') }
}

export interface TestCase {
  classname: string
  name: string
  seconds: number
  /** People who look after it, as properties; absent: not known. */
  owners?: readonly string[] | undefined
  end: { kind: 'passed' } | { kind: 'failure' | 'error' | 'skipped'; message: string; text: string }
}

export interface TestSuite {
  name: string
  tests: readonly TestCase[]
  /** ISO 8601. */
  timestamp: string
  headline: string
}

export function suitesXml(suites: readonly TestSuite[]): string {
  const { skipped: _, ...counted } = counts(suites.flatMap(({ tests }) => tests)) // the root has no such attribute
  const attributes = { name: 'whetstone', ...counted }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tag('testsuites', attributes, suites.map(suiteXml).join(''), 0)}`
}

function suiteXml({ name, tests, timestamp: at, headline }: TestSuite): string {
  const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(at)?.[0]
  const attributes = { name, ...counts(tests), ...(timestamp === undefined ? {} : { timestamp }) }
  const said = tag('system-out', {}, escapeXml(headline), 2)
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

function testXml({ classname, name, seconds, end, owners = [] }: TestCase): string {
  const outcome = end.kind === 'passed' ? '' : tag(end.kind, { message: end.message }, escapeXml(end.text), 3)
  const named = owners.map((value) => tag('property', { name: 'owner', value }, '', 4)).join('')
  const inner = `${named === '' ? '' : tag('properties', {}, named, 3)}${outcome}`
  return tag('testcase', { name, classname, time: seconds.toFixed(3) }, inner, 2)
}

function tag(name: string, attributes: Record<string, string | number>, inner: string, depth: number): string {
  const indent = '  '.repeat(depth)
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
  if (inner === '') return `${indent}<${name}${written.join('')}/>\n`
  const isText = !inner.startsWith('  ')
  return `${indent}<${name}${written.join('')}>${isText ? inner : `\n${inner}${indent}`}</${name}>\n`
}

/**
 * Replaces characters that XML 1.0 can't contain, because readers refuse a report with them. No line starts with ::, which GitHub's runner
 * would obey if a log shows the file.
 */
function escapeXml(text: string): string {
  return makeVisible(text)
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/(?<=^\s*):(?=:)/gm, '&#58;')
}
