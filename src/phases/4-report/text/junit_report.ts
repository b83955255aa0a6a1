/** JUnit XML of benchmarks: gates and the candidate's expectations, as test cases that CI systems list. */
import type { Benchmark, BenchmarkRun, CaseRow } from '../../../../schemas/benchmark.ts'
import { findArms } from '../benchmark/arms.ts'
import { readCaseRows } from '../benchmark/case_rows.ts'
import type { GateOutcome } from '../gate/check_gates.ts'
import { suspiciousLine } from '../judge/suspicious_runs.ts'
import { formatConfiguration } from './format.ts'
import { benchmarkHeadline } from './headline.ts'
import { suitesXml, type TestCase } from './junit_xml.ts'
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
