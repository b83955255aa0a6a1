/** What the page carries of a benchmark, put together: what is said of it, its cases, its runs in columns. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type {
  Page,
  PageCompared,
  PageExtras,
  PageFile,
  PageNote,
  PageRuns,
  PageSaid,
} from '../../../../schemas/page.ts'
import { armNames, armsOf } from '../arms.ts'
import { factsOf } from '../facts.ts'
import { incompleteness } from '../incomplete.ts'
import { headline, summaryTable, surenessAlone } from '../summary_table.ts'
import { type Prompts, pageCases } from './cases.ts'
import { evaluationSaid } from './evaluation.ts'
import { packSize, placesOf, runColumns } from './runs.ts'

/** What lies beside a benchmark.json that the page can show; all of it may be absent. */
export interface Beside {
  prompts: Prompts | null
  /** Input files by eval_id. */
  files: ReadonlyMap<number, PageFile[]>
  /** Of a run, relative to the benchmark with /; empty: not known. */
  folderOf(run: { eval_id: number; configuration: string; run_number: number }): string
  /** Where the detail of each run is, in the order of the columns. */
  detailOf(runs: PageRuns): (0 | 1 | 2)[]
  packs: (1 | 2)[]
  stamp: string
  /** It is being made at this moment. */
  running?: boolean
  left_out: string[]
  feedback: PageNote[]
  previous: PageNote[]
  previous_name: string | null
  extras: PageExtras
  /** Two benchmarks in one; `said` holds what is to be said otherwise than of one. */
  compared?: { two: PageCompared; said: Partial<PageSaid> }
}

export const nothingBeside: Beside = {
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

export function pageOf(made: Benchmark, beside: Beside): Page {
  const { runs: _runs, cases: _cases, excluded_runs: _excluded, ...benchmark } = made
  const known = armNames(armsOf(made))
  const all = [...made.runs, ...(made.excluded_runs ?? [])].map(({ configuration }) => configuration)
  const arms = [...new Set([...known, ...all])]
  const cases = pageCases(made, beside.prompts, beside.files)
  const runs = runColumns(made, placesOf(cases, arms, beside.folderOf))
  return {
    version: 1,
    said: {
      headline: headline(made),
      sureness: surenessAlone(made),
      incomplete: incompleteness(made),
      ...summaryTable(made),
      facts: factsOf(made),
      ...evaluationSaid(beside.extras.evaluation),
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

/** The lists a case long stand with the cases already. */
function slim(benchmark: Page['benchmark']): Page['benchmark'] {
  const { statistics } = benchmark
  return statistics === undefined
    ? benchmark
    : { ...benchmark, statistics: { ...statistics, expectations: [], cases: [] } }
}
