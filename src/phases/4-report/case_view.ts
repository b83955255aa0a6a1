/** One case as the page shows it: both arms on one scale, every expectation by run, every run with its evidence. */
import type { Benchmark, BenchmarkRun, CaseRow } from '../../../schemas/benchmark.ts'
import { type Arms, armNames, armsOf, passRates } from './arms.ts'
import { rowsOf } from './case_rows.ts'
import { type RunView, runView } from './run_view.ts'
import { signed } from './stats/round.ts'
import { armLabel, hundredths, percent, visible } from './words.ts'

/** Where a case's prompt is found: a plan, or what was read of another tool. */
export interface Prompts {
  cases: readonly { eval_id: number; prompt: string }[]
}

export interface CaseView {
  id: number
  name: string
  key: string | null
  prompt: string | null
  /** What is said instead of a chart; null where there is a run to show. */
  empty: string | null
  delta: string | null
  /** better, worse or same: the colour of the difference. */
  trend: string
  lanes: LaneView[]
  expectations: ExpectationView[]
  runs: RunView[]
}

/** One arm on the scale from 0 to 100%; positions are percentages of the chart's width. */
interface LaneView {
  place: string
  label: string
  rate: string
  runs: number
  y: number
  mean: string
  from: string
  to: string
  dots: string[]
}

interface ExpectationView {
  text: string
  tags: string[]
  arms: { place: string; label: string; pips: { passed: boolean; title: string }[] }[]
}

/** By eval_id. */
export function caseViews(benchmark: Benchmark, plan: Prompts | null): CaseView[] {
  const arms = armsOf(benchmark)
  return rowsOf(benchmark).map((row) => caseView({ row, benchmark, plan, arms }))
}

function caseView(from: { row: CaseRow; benchmark: Benchmark; plan: Prompts | null; arms: Arms }): CaseView {
  const { row, benchmark, plan, arms } = from
  const runs = benchmark.runs.filter((run) => run.eval_id === row.eval_id)
  const prompt = plan?.cases.find((one) => one.eval_id === row.eval_id)?.prompt
  return {
    id: row.eval_id,
    name: visible(row.eval_name),
    key: row.eval_key === null ? null : visible(row.eval_key),
    prompt: prompt === undefined || prompt === '' ? null : visible(prompt),
    empty: runs.length > 0 ? null : whyEmpty(row, benchmark),
    delta: row.delta === null ? null : signed(hundredths(row.delta), 0),
    trend: row.delta === null || row.delta === 0 ? 'same' : row.delta > 0 ? 'better' : 'worse',
    lanes: armNames(arms).flatMap((name, index) => laneView({ row, name, runs, index })),
    expectations: expectationViews(runs, arms),
    runs: runs.map((run) => runView(run, arms)),
  }
}

/** Room at both ends, so that a dot at 0% or 100% is whole. */
function position(rate: number): string {
  return `${(3 + 94 * Math.min(1, Math.max(0, rate))).toFixed(2)}%`
}

function laneView(from: { row: CaseRow; name: string; runs: BenchmarkRun[]; index: number }): LaneView[] {
  const stats = from.row.arms[from.name]?.pass_rate
  if (!stats) return []
  const own = from.runs.filter((run) => run.configuration === from.name)
  return [
    {
      place: from.index === 0 ? 'candidate' : 'baseline',
      label: visible(armLabel(from.name)),
      rate: percent(stats.mean),
      runs: own.length,
      y: 10 + 18 * from.index,
      mean: position(stats.mean),
      from: position(stats.min),
      to: position(stats.max),
      dots: passRates(own).map(position),
    },
  ]
}

function expectationViews(runs: readonly BenchmarkRun[], arms: Arms): ExpectationView[] {
  const texts = [...new Set(runs.flatMap((run) => run.expectations.map(({ text }) => text)))]
  return texts.map((text) => {
    const [first] = runs.flatMap((run) => run.expectations.filter((one) => one.text === text))
    const { decided_by, derived, indicator } = first ?? {}
    return {
      text: visible(text),
      tags: [decided_by ? visible(decided_by) : '', derived ? 'derived' : '', indicator ? 'indicator' : ''].filter(
        (tag) => tag !== '',
      ),
      arms: armNames(arms).map((name, index) => ({
        place: index === 0 ? 'candidate' : 'baseline',
        label: visible(armLabel(name)),
        pips: pipsOf(runs, name, text),
      })),
    }
  })
}

function pipsOf(runs: readonly BenchmarkRun[], name: string, text: string) {
  return runs
    .filter((run) => run.configuration === name)
    .flatMap((run) =>
      run.expectations
        .filter((one) => one.text === text)
        .map(({ passed }) => ({ passed, title: `run ${run.run_number}: ${passed ? 'passed' : 'failed'}` })),
    )
}

function whyEmpty(row: CaseRow, { excluded_runs = [], metadata }: Benchmark): string {
  const { cannot_run } = metadata
  const stated = Array.isArray(cannot_run) ? cannot_run.find((one) => one?.eval_id === row.eval_id)?.reason : null
  if (typeof stated === 'string') return `cannot run: ${visible(stated)}`
  const own = excluded_runs.filter((run) => run.eval_id === row.eval_id)
  if (own.length > 0 && own.every((run) => run.reason === 'ungraded')) return 'ungraded: no expectations, no checks'
  return 'no graded run'
}
