/** What a report page carries: columns of runs at once, evidence in packs and a run's transcript and outputs on demand. */
import type { Analysis } from './analysis.ts'
import type { Benchmark, CaseRow } from './benchmark.ts'
import type { CaseChange, PlanDifference, TurnedExpectation } from './benchmark_diff.ts'
import type { Comparison } from './comparison.ts'
import type { Description } from './description.ts'
import type { EvalReport } from './eval_report.ts'
import type { EvalCaseResult, EvalResult } from './eval_result.ts'
import type { GradedExpectation, JudgeError } from './grading.ts'
import type { History } from './history.ts'
import type { RubricResult } from './rubric.ts'
import type { Trend } from './trend.ts'
import type { Triggers } from './triggers.ts'

/** A text, or the reason why its end is missing. */
export interface PageFile {
  /** Relative to its folder, with /. */
  path: string
  bytes: number
  sha256: string | null
  /** text: as it is; base64: bytes; none: not carried, see `left_out`. */
  as: 'text' | 'base64' | 'none'
  body: string
  left_out: string | null
}

export interface PageCase extends CaseRow {
  prompt: string | null
  files: PageFile[]
  /** Every statement of the case; a run's `marks` has one sign for each. */
  statements: PageStatement[]
  flaky: boolean
  /** Why none of its runs is made; null: it can run. */
  cannot_run: string | null
  ci_low: number | null
  ci_high: number | null
}

export interface PageStatement {
  text: string
  decided_by: string | null
  indicator: string | null
  /** candidate − baseline of the rates; null: not known. */
  discrimination: number | null
  remark: string | null
}

/** One entry a run in every list; graded runs first, then those in no rate. */
export interface PageRuns {
  /** Index in `cases`. */
  case: number[]
  /** Index in `arms`. */
  arm: number[]
  number: number[]
  /** graded, or why the run is in no rate. */
  status: string[]
  message: string[]
  /** A sign for each statement of the case: 1 passed, 0 failed, p and f the same with evidence that was not found, ? undecided, - not in this run. */
  marks: string[]
  passed: number[]
  /** Decided expectations; those without a verdict are outside. */
  total: number[]
  undecided: number[]
  /** 1: the agent ran out of time, and the run counts as it stands. */
  timed_out: (0 | 1)[]
  rate: number[]
  seconds: (number | null)[]
  tokens: (number | null)[]
  calls: (number | null)[]
  errors: number[]
  cost: (number | null)[]
  /** 1, 0; null: not known. */
  read: (0 | 1 | null)[]
  /** Folder of the run, relative to the benchmark; empty: not known. */
  folder: string[]
  /** Where the run's detail is: 0 nowhere, 1 in the page, 2 in a file beside it. */
  detail: (0 | 1 | 2)[]
  /** Where what it was in the iteration before is, 3: it is that very run, reused; absent: there was no iteration before. */
  before?: (0 | 1 | 2 | 3)[]
}

/** Said in the terminal's words. */
export interface PageSaid {
  headline: string
  sureness: string[]
  incomplete: string | null
  header: string[]
  rows: string[][]
  facts: { name: string; value: string }[]
}

export interface PageNote {
  run_id: string
  feedback: string
  timestamp: string
}

/** The page shows two benchmarks, A and B; the arms of each bear its letter. */
export interface PageCompared {
  /** As they were named. */
  a: { name: string; timestamp: string }
  b: { name: string; timestamp: string }
  plan: PlanDifference[]
  /** By eval_id of this page. */
  turned: (TurnedExpectation & { eval_id: number })[]
  /** One entry a case; null: not in what is compared. */
  changes: (CaseChange['change'] | null)[]
}

export type PageBenchmark = Pick<Benchmark, 'metadata' | 'notes' | 'counts' | 'statistics' | 'problems'> &
  Record<string, unknown>

export interface Page {
  version: 1
  said: PageSaid
  /** Without what the columns hold. */
  benchmark: PageBenchmark
  /** Configuration names, candidate first. */
  arms: string[]
  cases: PageCase[]
  runs: PageRuns
  /** Runs a pack of evidence; pack k holds runs k × size and on. */
  pack_size: number
  /** For each pack where it is: 1 in the page, 2 in a file beside it. */
  packs: (1 | 2)[]
  /** Changes with every writing: keeps a browser from taking an old file beside the page. */
  stamp: string
  /** A benchmark that is being made at this moment: what is missing comes yet. */
  running: boolean
  left_out: string[]
  feedback: PageNote[]
  /** Notes of the iteration before, on the runs of this one. */
  previous: PageNote[]
  /** The folder of the iteration before; null: there was none. */
  previous_name: string | null
  extras: PageExtras
  /** Absent: a page of one benchmark. */
  compared?: PageCompared
  /** There is none: only what lies in the workspace besides. */
  without_benchmark?: true
}

/** Artefacts that a benchmark or its workspace may have; each tab shows one. */
export interface PageExtras {
  /** By the file's path in the benchmark. */
  comparisons?: { name: string; comparison: Known<Comparison> }[]
  /** Pairs that no judge decided, and why; by the file's path too. */
  comparison_errors?: { name: string; reason: string }[]
  analyses?: { name: string; analysis: Known<Analysis> }[]
  history?: Known<History>
  /** Of versions whose benchmarks are there, by version. */
  scores?: Record<string, PageScore[]>
  /** Where the versions' files are. */
  versions?: { names: string[]; at: 0 | 1 | 2 }
  /** The newest measurement. */
  triggers?: Known<Triggers>
  /** The newest search for a description. */
  description?: Known<Description>
  trend?: Known<Trend>
  /** Addresses of the pages of benchmarks that the history and the trend name, by the name of their folder. */
  reports?: Record<string, string>
  audit?: PageAudit
  /** Of an eval: its verdicts. */
  evaluation?: Known<PageEvaluation>
}

/** What eval.json says, without where things lie on that machine; and the reports of the package that was evaluated. */
export interface PageEvaluation extends Pick<EvalResult, 'format' | 'name' | 'version' | 'started_at' | 'summary'> {
  cases: EvalCaseResult[]
  golden: Pick<NonNullable<EvalResult['golden']>, 'lines' | 'threshold' | 'stopped'> | null
  /** Newest first. */
  reports: (Pick<EvalReport, 'id' | 'timestamp' | 'summary'> & { model: string | null })[]
}

/** A file as its schema has it, or, where it does not fit, as it is. */
export type Known<T> = { value: T } | { raw: unknown }

/** Mean over cases of the arm under test, with the interval for cases like these; null: too few, or nothing varies. */
export interface PageScore {
  part: 'train' | 'validation'
  rate: number
  ci_low: number | null
  ci_high: number | null
  n_cases: number
}

/** Every version of a skill; equal texts once. */
export interface PageVersions {
  versions: Record<string, { path: string; bytes: number; sha256: string | null; text: boolean }[]>
  /** By sha256. */
  texts: Record<string, string>
}

/** What a run was in the iteration before. */
export interface PageBefore {
  /** null: not recorded. */
  answer: string | null
  outputs: PageFile[]
}

/** What people may say of the judge's decisions, and have said. */
export interface PageAudit {
  /** From the workspace. */
  benchmark: string
  /** All that the judge decided, equal ones once. */
  decisions: number
  /** How many of them are drawn. */
  drawn: number
  /** Where the sample is: a list of PageDrawn under the key `audit`. */
  at: 0 | 1 | 2
  /** Whether people hold a statement to be met, and since when, by id of the decision. */
  labels: Record<string, PageLabel>
}

/** One that `whetstone audit` draws: which run in the columns, which statement of its case. */
export interface PageDrawn {
  id: string
  run: number
  statement: number
}

export interface PageLabel {
  /** null: taken back. */
  met: boolean | null
  at: string
}

/** A pack: for each run its verdicts and notes. */
export type EvidencePack = {
  expectations: GradedExpectation[]
  /** Of the decisions, in the order of the expectations; null: not a judge's. Absent: not to be audited here. */
  ids?: (string | null)[]
  notes: string[]
  rubric?: RubricResult
  /** What has no verdict, and why; absent: nothing. */
  undecided?: JudgeError[]
}[]

/** An event of transcript.jsonl as it stands there; long texts may be cut. */
export interface PageEvent {
  type: string
  at?: string
  step?: number
  [field: string]: unknown
}

/** Where a quote of transcript.md stands in the events. */
export interface PageSpot {
  /** Index of the event. */
  event: number
  /** In what it says; null: the page has that cut. */
  span: { start: number; end: number } | null
}

/** All that is shown of one run alone. */
export interface RunDetail {
  events: PageEvent[] | null
  /** Of the quotes in its grading, by the offset in transcript.md at which each begins; absent: none is known. */
  spots?: Record<string, PageSpot>
  /** Of another tool: its transcript as it is. */
  transcript: string | null
  cut: string | null
  outputs: PageFile[]
  record: unknown
  grading: unknown
}

/** The name under which a run's detail lies in or beside the page: readable, and no two folders share one. */
export function pageKey(folder: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < folder.length; index += 1) {
    hash = Math.imul(hash ^ folder.charCodeAt(index), 0x01000193) >>> 0
  }
  return `run-${folder.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, 120)}-${hash.toString(16).padStart(8, '0')}`
}
