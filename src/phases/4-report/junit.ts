/** JUnit XML of benchmarks: gates, and each expectation of the candidate's arm, as test cases that CI systems list. */
import type { Benchmark, BenchmarkRun, CaseRow } from '../../../schemas/benchmark.ts'
import { armsOf } from './arms.ts'
import { rowsOf } from './case_rows.ts'
import { chosenSentence } from './chosen_text.ts'
import type { GateResult } from './gate/judge.ts'
import { suitesXml, type TestCase } from './junit_xml.ts'
import { headline } from './summary_table.ts'
import { armLabel } from './words.ts'

/** A benchmark and what it was held against. */
export interface Reported {
  /** What tells it from the others: the skill, and the cell of a matrix. */
  name: string
  benchmark: Benchmark
  gates: readonly GateResult[]
}

/** One testsuite a benchmark. A case fails where a run of the candidate's arm did not meet the expectation; an error is a run without a grade. */
export function toJunit(all: readonly Reported[]): string {
  return suitesXml(
    all.map((one) => ({
      name: one.name,
      tests: testsOf(one),
      timestamp: one.benchmark.metadata.timestamp,
      headline: [headline(one.benchmark), chosenSentence(one.benchmark)].filter((text) => text !== null).join(' '),
    })),
  )
}

function testsOf({ name, benchmark, gates }: Reported): TestCase[] {
  return [
    ...gates.map((gate) => gateTest(name, gate)),
    ...rowsOf(benchmark).flatMap((row) => caseTests(name, benchmark, row)),
  ]
}

/** `name`: of what was held against the gate. */
export function gateTest(name: string, { gate, passed, message }: GateResult): TestCase {
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
