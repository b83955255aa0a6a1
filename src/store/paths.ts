/** The disk layout: where everything of a workspace lies. Nothing else knows these names. */
import path from 'node:path'

/** Paths of a benchmark folder, absolute. */
export interface BenchmarkPaths {
  folder: string
  plan: string
  benchmark: string
  markdown: string
  report: string
  /** What was paid, where there is a budget. */
  spent: string
  /** Of a benchmark of two equal arms: what later ones take from it. */
  calibration: string
  /** Of a set of trigger queries: the result. */
  triggers: string
  /** Runs are filled here and renamed into place when they are whole. */
  partial: string
  /** There while the reports are written; it stays where that broke off. */
  reporting: string
}

/** What lies by timestamp in a workspace. Calibrations are apart: the newest benchmark is never one of them. */
export type Collection = 'benchmarks' | 'calibrations' | 'evals' | 'triggers' | 'descriptions'

export function collectionFolder(workspace: string, collection: Collection): string {
  return path.join(workspace, collection)
}

const collections: ReadonlySet<string> = new Set<Collection>([
  'benchmarks',
  'calibrations',
  'evals',
  'triggers',
  'descriptions',
])

/** The workspace of a benchmark folder; null: it does not lie in one. */
export function workspaceOf(folder: string): string | null {
  const above = path.dirname(folder)
  const isInside = isTimestampName(path.basename(folder)) && collections.has(path.basename(above))
  return isInside ? path.dirname(above) : null
}

/** Whether a folder is named by a moment, as benchmarks are. */
export function isTimestampName(name: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(name)
}

export function benchmarkPaths(folder: string): BenchmarkPaths {
  return {
    folder,
    plan: path.join(folder, 'plan.json'),
    benchmark: path.join(folder, 'benchmark.json'),
    markdown: path.join(folder, 'benchmark.md'),
    report: path.join(folder, 'report.html'),
    spent: path.join(folder, 'spent.jsonl'),
    calibration: path.join(folder, 'calibration.json'),
    triggers: path.join(folder, 'triggers.json'),
    partial: path.join(folder, '.partial'),
    reporting: path.join(folder, '.reporting'),
  }
}

/** Paths of the index over several benchmarks, absolute. */
export function indexPaths(root: string): { index: string; markdown: string; page: string } {
  return {
    index: path.join(root, 'index.json'),
    markdown: path.join(root, 'index.md'),
    page: path.join(root, 'index.html'),
  }
}

/** What `improve` keeps in a workspace, absolute. */
export function improvePaths(workspace: string) {
  return {
    history: path.join(workspace, 'history.json'),
    versions: path.join(workspace, 'versions'),
    version: (name: string) => path.join(workspace, 'versions', name),
    /** What each proposer was given, did and left behind, by iteration. */
    proposals: path.join(workspace, 'proposals'),
    /** Sessions before this one, by when they were started. */
    sessions: path.join(workspace, 'sessions'),
    /** The author's skill as it was before a version was applied. */
    backups: path.join(workspace, 'backups'),
  }
}

/** What `view` writes over the benchmarks below a folder, absolute. */
export function trendPaths(root: string): { trend: string; markdown: string; page: string } {
  return {
    trend: path.join(root, 'trend.json'),
    markdown: path.join(root, 'trend.md'),
    page: path.join(root, 'trend.html'),
  }
}

/** Paths of one run, absolute. `runId` is its folder relative to the benchmark. */
export interface RunPaths {
  folder: string
  record: string
  grading: string
  /** The n-th time the same was graded again, from 1. */
  again: (n: number) => string
  timing: string
  metrics: string
  transcript: string
  outputs: string
}

export function runPaths(benchmark: string, runId: string): RunPaths {
  const folder = path.join(benchmark, runId)
  // put together by hand: asked for by the ten thousand, and the folder is normal by now
  return {
    folder,
    record: `${folder}/run.json`,
    grading: `${folder}/grading.json`,
    again: (n) => `${folder}/grading-again-${n}.json`,
    timing: `${folder}/timing.json`,
    metrics: `${folder}/outputs/metrics.json`,
    transcript: `${folder}/transcript.md`,
    outputs: `${folder}/outputs`,
  }
}

/** Paths of comparison N of a case, absolute. The analysis of the first has no number. */
export function comparisonPaths(caseFolder: string, number: number) {
  return {
    comparison: path.join(caseFolder, `comparison-${number}.json`),
    error: path.join(caseFolder, `comparison_error-${number}.json`),
    analysis: path.join(caseFolder, number === 1 ? 'analysis.json' : `analysis-${number}.json`),
  }
}

/** Where eval_metadata.json of a run's case lies: in the case's folder for the aggregator, in the arm's for the review page. */
export function metadataPaths(benchmark: string, runId: string): string[] {
  const arm = path.dirname(path.join(benchmark, runId))
  return [path.join(path.dirname(arm), 'eval_metadata.json'), path.join(arm, 'eval_metadata.json')]
}

/** A folder name for a moment: 2026-01-15T10-30-00Z. */
export function timestampName(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replaceAll(':', '-')}Z`
}
