/** The data of a report page: columns of all runs at once, evidence in packs, and a run's transcript and outputs on demand. */
import type { Analysis } from './analysis.ts'
import type { Benchmark, CaseRow } from './benchmark.ts'
import type { CaseChange, PlanDifference, TurnedExpectation } from './benchmark_diff.ts'
import type { ChangedStatements } from './changed_statements.ts'
import type { Comparison } from './comparison.ts'
import type { ConversationRecord } from './conversation.ts'
import type { Description } from './description.ts'
import type { EvalReport } from './eval_report.ts'
import type { EvalCaseResult, EvalResult } from './eval_result.ts'
import type { GradedExpectation, JudgeError } from './grading.ts'
import type { History } from './history.ts'
import type { Prune } from './prune.ts'
import type { RubricResult } from './rubric.ts'
import type { Trend } from './trend.ts'
import type { TriggerMatrix } from './trigger_matrix.ts'
import type { Triggers } from './triggers.ts'

/** A file, and the reason if its content or its end is missing. */
export interface PageFile {
  /** Relative to its folder, with /. */
  path: string
  bytes: number
  sha256: string | null
  /** text: as it is; base64: bytes; none: the page does not contain it, see `left_out`. */
  as: 'text' | 'base64' | 'none'
  body: string
  left_out: string | null
}

/** A difference of pass rates as the terminal shows it. */
export interface PageDifference {
  /** "+62"; empty: not known. */
  points: string
  /** "95% CI [39, 84]"; empty: there is no interval. */
  interval: string
}

/** A benchmark in the trend: pass rates as text, which subtract to the points. */
export type PageTrendPoint = PageDifference & Record<'candidate' | 'baseline', string>

export interface PageCase extends CaseRow {
  /** Pass rates as text by configuration, which subtract to the points. */
  rates: Record<string, string>
  shown: PageDifference
  prompt: string | null
  /** Notes of the suite's author; null: none. */
  metadata: Record<string, unknown> | null
  files: PageFile[]
  /** Every statement of the case; a run's `marks` has one character for each. */
  statements: PageStatement[]
  flaky: boolean
  /** Why it can't run; null: it can. */
  cannot_run: string | null
  ci_low: number | null
  ci_high: number | null
}

export interface PageStatement {
  text: string
  decided_by: string | null
  indicator: string | null
  /** In no rate, because the case's own reward rates its runs. */
  diagnostic?: true
  /** candidate − baseline of the rates; null: not known. */
  discrimination: number | null
  remark: string | null
}

/** Every list has one entry per run: graded runs first, then those that count in no rate. */
export interface PageRuns {
  /** Index in `cases`. */
  case: number[]
  /** Index in `arms`. */
  arm: number[]
  number: number[]
  /** graded, or why the run counts in no rate. */
  status: string[]
  message: string[]
  /** A character for each statement: 1 passed, 0 failed, p and f the same with evidence not found, ? undecided, - not in this run. */
  marks: string[]
  passed: number[]
  /** Decided expectations; those without a verdict are not counted. */
  total: number[]
  undecided: number[]
  /** 1: the agent ran out of time, and the run counts with what it had done. */
  timed_out: (0 | 1)[]
  /** 1: text in the run seems to instruct the judge. */
  suspicious: (0 | 1)[]
  /** 1: the run ended with a question to the user. */
  asked_user: (0 | 1)[]
  rate: number[]
  seconds: (number | null)[]
  tokens: (number | null)[]
  calls: (number | null)[]
  errors: number[]
  cost: (number | null)[]
  /** 1: the skill was read; 0: it was not; null: not known. */
  read: (0 | 1 | null)[]
  /** Folder of the run, relative to the benchmark; empty: not known. */
  folder: string[]
  /** Where the run's detail is: 0 nowhere, 1 in the page, 2 in a file next to it. */
  detail: (0 | 1 | 2)[]
  /** Where the run's counterpart in the previous iteration is, as in `detail`; 3: it is the same run, reused. Absent: there was none. */
  before?: (0 | 1 | 2 | 3)[]
}

/** Texts in the same words as in the terminal. */
export interface PageSaid {
  headline: string
  /** Says that runs contain text which seems to instruct the judge; null: none does. */
  suspicious: string | null
  sureness: string[]
  /** Absent: the benchmark has no statistics. */
  scopes?: Record<'these_cases' | 'cases_like_these', PageDifference>
  incomplete: string | null
  /** Absent: no statement occurs in several cases. */
  changed?: ChangedStatements
  header: string[]
  rows: string[][]
  /** Which runs the means of the rows are over. */
  hint: string
  facts: { name: string; value: string }[]
}

export interface PageNote {
  run_id: string
  feedback: string
  timestamp: string
}

/** The page shows two benchmarks, A and B; the arms of each have its letter. */
export interface PageCompared {
  /** As the user named them. */
  a: { name: string; timestamp: string }
  b: { name: string; timestamp: string }
  plan: PlanDifference[]
  /** By the eval_id on this page. */
  turned: (TurnedExpectation & { eval_id: number })[]
  /** One entry per case; null: the case is not part of the comparison. */
  changes: (CaseChange['change'] | null)[]
}

export type PageBenchmark = Pick<
  Benchmark,
  'metadata' | 'notes' | 'counts' | 'statistics' | 'problems' | 'skills_read'
> &
  Record<string, unknown>

export interface Page {
  version: 1
  said: PageSaid
  /** Without what the columns contain. */
  benchmark: PageBenchmark
  /** Configuration names, candidate first. */
  arms: string[]
  cases: PageCase[]
  runs: PageRuns
  /** Runs per pack of evidence; pack k begins with run k × size. */
  pack_size: number
  /** Where each pack is: 1 in the page, 2 in a file next to it. */
  packs: (1 | 2)[]
  /** Changes each time the page is written, so that a browser does not use an old file next to it. */
  stamp: string
  /** The benchmark is still running: what is missing will come. */
  running: boolean
  left_out: string[]
  feedback: PageNote[]
  /** Notes of the previous iteration, on the runs of this one. */
  previous: PageNote[]
  /** The folder of the previous iteration; null: there was none. */
  previous_name: string | null
  extras: PageExtras
  /** Absent: a page of one benchmark. */
  compared?: PageCompared
  /** The page has no benchmark, only what else the workspace contains. */
  without_benchmark?: true
}

/** Artefacts that a benchmark or its workspace may have; each tab shows one. */
export interface PageExtras {
  /** `name`: the file's path in the benchmark. */
  comparisons?: { name: string; comparison: Known<Comparison> }[]
  /** Pairs that no judge decided, and why; `name` as above. */
  comparison_errors?: { name: string; reason: string }[]
  analyses?: { name: string; analysis: Known<Analysis> }[]
  history?: Known<History>
  /** Where the versions' files are. */
  versions?: { names: string[]; at: 0 | 1 | 2 }
  /** The newest measurement. */
  triggers?: Known<Triggers>
  /** The newest measurement of many skills. */
  trigger_matrix?: Known<TriggerMatrix>
  /** The newest search for a description. */
  description?: Known<Description>
  /** The newest one. */
  prune?: Known<Prune>
  trend?: Known<Trend>
  /** One per point of the trend; absent: the trend can't be read. */
  trend_shown?: PageTrendPoint[]
  /** Addresses of the pages of benchmarks in the history and the trend, by the name of their folder. */
  reports?: Record<string, string>
  audit?: PageAudit
  /** The verdicts of an eval. */
  evaluation?: Known<PageEvaluation>
}

/** The content of eval.json without paths of that machine, and the reports of the package that was evaluated. */
export interface PageEvaluation extends Pick<EvalResult, 'format' | 'name' | 'version' | 'started_at' | 'summary'> {
  cases: EvalCaseResult[]
  golden: Pick<NonNullable<EvalResult['golden']>, 'lines' | 'threshold' | 'stopped'> | null
  /** Newest first. */
  reports: (Pick<EvalReport, 'id' | 'timestamp' | 'summary'> & { model: string | null })[]
}

/** A file parsed by its schema, or as it is if it does not fit. */
export type Known<T> = { value: T } | { raw: unknown }

/** Every version of a skill; equal texts are stored once. */
export interface PageVersions {
  versions: Record<string, { path: string; bytes: number; sha256: string | null; text: boolean }[]>
  /** By sha256. */
  texts: Record<string, string>
}

/** A run's counterpart in the previous iteration. */
export interface PageBefore {
  /** null: not recorded. */
  answer: string | null
  outputs: PageFile[]
}

/** The judge's decisions that people can label, and their labels. */
export interface PageAudit {
  /** Its folder, from the workspace. */
  benchmark: string
  /** All decisions of the judge. */
  judged: number
  /** The same, but a statement on the same evidence counts once. */
  decisions: number
  /** How many of them are in the sample. */
  drawn: number
  /** Where the sample is: a list of PageDrawn under the key `audit`. */
  at: 0 | 1 | 2
  /** Whether people say that a statement is met, and since when, by id of the decision. */
  labels: Record<string, PageLabel>
}

/** A decision in the sample of `whetstone audit`: the run's index in the columns, and the statement's index in its case. */
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

/** A pack: the verdicts and notes of each run. */
export type EvidencePack = {
  expectations: GradedExpectation[]
  /** Ids of the decisions, in the order of the expectations; null: not the judge's. Absent: this page is not for audits. */
  ids?: (string | null)[]
  notes: string[]
  rubric?: RubricResult
  /** Statements without a verdict, and why; absent: none. */
  undecided?: JudgeError[]
}[]

/** An event of transcript.jsonl, unchanged except that long texts may be cut. */
export interface PageEvent {
  type: string
  at?: string
  step?: number
  [field: string]: unknown
}

/** The place of a quote from transcript.md in the events. */
export interface PageSpot {
  /** Index of the event. */
  event: number
  /** Offsets in the event's text; null: the page has the event cut, or the place is not exact. */
  span: { start: number; end: number } | null
}

/** The data that is shown for one run alone. */
export interface RunDetail {
  events: PageEvent[] | null
  /** Places of the quotes in its grading, by the offset in transcript.md at which each begins; absent: none is known. */
  spots?: Record<string, PageSpot>
  /** The transcript of another tool, as it is. */
  transcript: string | null
  cut: string | null
  /** Transcript and outputs were removed: a sentence on that; absent: they were not. */
  removed?: string
  /** The dialogue of a case with several messages; absent: it has one. */
  conversation?: PageConversation
  outputs: PageFile[]
  record: unknown
  grading: unknown
}

/** A conversation, and which event each message of the user is: index of the event → number of the message. */
export interface PageConversation extends ConversationRecord {
  messages: Record<string, number>
}

/** The name of a run's detail in or next to the page: readable, and different for every folder. */
export function pageKey(folder: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < folder.length; index += 1) {
    hash = Math.imul(hash ^ folder.charCodeAt(index), 0x01000193) >>> 0
  }
  return `run-${folder.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, 120)}-${hash.toString(16).padStart(8, '0')}`
}
