/** Builds the page data of a benchmark: its texts, its cases, and its runs in columns. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { Scope } from '../../../../schemas/benchmark_statistics.ts'
import type { EvalSummary } from '../../../../schemas/eval_result.ts'
import type {
  Page,
  PageCompared,
  PageDifference,
  PageExtras,
  PageFile,
  PageRuns,
  PageSaid,
} from '../../../../schemas/page.ts'
import { armNames, findArms } from '../benchmark/arms.ts'
import { listChangedStatements } from '../benchmark/changed_statements.ts'
import { incompleteness } from '../benchmark/incomplete.ts'
import { listBenchmarkFacts } from '../benchmark/provenance.ts'
import { suspiciousLine } from '../judge/suspicious_runs.ts'
import { isVerdictWithheld } from '../stats/scopes/observational.ts'
import { formatDifference, formatInterval, formatPlural } from '../text/format.ts'
import { benchmarkHeadline, designNotes, fullConfidenceNotes } from '../text/headline.ts'
import { summaryHint, summaryTable } from '../text/summary_table.ts'
import { type CasePrompts, pageCases } from './cases.ts'
import { indexPlaces, packSize, runColumns } from './runs.ts'

/** What the page shows in addition to benchmark.json; every part may be absent. */
export interface BenchmarkExtras
  extends Pick<Page, 'packs' | 'stamp' | 'left_out' | 'feedback' | 'previous' | 'previous_name' | 'extras'> {
  prompts: CasePrompts | null
  /** Input files by eval_id. */
  files: ReadonlyMap<number, PageFile[]>
  /** The run's folder, relative to the benchmark, with /; empty: not known. */
  folderOf(run: { eval_id: number; configuration: string; run_number: number }): string
  /** Per run, in the order of the columns: 0 no detail, 1 in the page, 2 in a file next to it. */
  detailOf(runs: PageRuns): (0 | 1 | 2)[]
  running?: boolean
  /** Two benchmarks in one; `said` replaces the texts of a single benchmark. */
  compared?: { two: PageCompared; said: Partial<PageSaid> }
}

export const noBenchmarkExtras: BenchmarkExtras = {
  prompts: null,
  files: new Map(),
  folderOf: () => '',
  detailOf: (runs) => runs.case.map(() => 0),
  packs: [],
  stamp: '',
  left_out: [],
  feedback: [],
  previous: [],
  previous_name: null,
  extras: {},
}

export function buildPage(made: Benchmark, beside: BenchmarkExtras): Page {
  const { runs: _runs, cases: _cases, excluded_runs: _excluded, ...benchmark } = made
  const known = armNames(findArms(made))
  const all = [...made.runs, ...(made.excluded_runs ?? [])].map(({ configuration }) => configuration)
  const arms = [...new Set([...known, ...all])]
  const cases = pageCases(made, beside.prompts, beside.files)
  const runs = runColumns(made, indexPlaces(cases, arms, beside.folderOf))
  return {
    version: 1,
    said: {
      headline: benchmarkHeadline(made),
      suspicious: suspiciousLine(made),
      sureness: [...fullConfidenceNotes(made), ...designNotes(made)],
      ...formatScopes(made.statistics),
      incomplete: incompleteness(made),
      ...(beside.compared === undefined && listChangedStatements(made)),
      ...summaryTable(made),
      hint: summaryHint(made),
      facts: listBenchmarkFacts(made),
      ...describeEvaluation(beside.extras.evaluation),
      ...beside.compared?.said,
    },
    ...(beside.compared && { compared: beside.compared.two }),
    benchmark: slim(benchmark),
    arms,
    cases,
    runs: { ...runs, detail: beside.detailOf(runs) },
    pack_size: packSize,
    packs: beside.packs,
    stamp: beside.stamp,
    running: beside.running ?? false,
    left_out: beside.left_out,
    feedback: beside.feedback,
    previous: beside.previous,
    previous_name: beside.previous_name,
    extras: beside.extras,
  }
}

function formatScopes(statistics: Benchmark['statistics']): Pick<PageSaid, 'scopes'> {
  if (!statistics?.scopes) return {}
  const { scopes, alpha } = statistics
  const format = (scope: Scope): PageDifference =>
    scope.difference.mean === null || isVerdictWithheld(scope)
      ? { points: '', interval: '' }
      : { points: formatDifference(scope.difference), interval: formatInterval(scope.difference, alpha) }
  return { scopes: { these_cases: format(scopes.these_cases), cases_like_these: format(scopes.cases_like_these) } }
}

/** Empties the lists whose content is already in the page's cases. */
function slim(benchmark: Page['benchmark']): Page['benchmark'] {
  const { statistics } = benchmark
  return statistics === undefined
    ? benchmark
    : { ...benchmark, statistics: { ...statistics, expectations: [], cases: [] } }
}

/** Empty if there is no eval, or if it can't be read. */
function describeEvaluation(evaluation: PageExtras['evaluation']): Partial<PageSaid> {
  if (evaluation === undefined || !('value' in evaluation)) return {}
  return { headline: evaluationHeadline(evaluation.value.summary), sureness: [] }
}

/** "3 of 4 cases pass, 1 fails." */
export function evaluationHeadline({ total, passed, failed, skipped }: EvalSummary): string {
  const parts = [
    `${passed} of ${formatPlural(total, 'case')} ${passed === 1 ? 'passes' : 'pass'}`,
    ...(failed > 0 ? [`${failed} ${failed === 1 ? 'fails' : 'fail'}`] : []),
    ...(skipped > 0 ? [`${skipped} ${skipped === 1 ? 'has' : 'have'} no verdict`] : []),
  ]
  return `${parts.join(', ')}.`
}
