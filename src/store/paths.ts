/** The disk layout: all paths of a workspace. No other module knows these names. */
import path from 'node:path'

/** Timestamped folders of a workspace. Calibrations, the searches of improve and recorded sessions are separate, so that the newest benchmark is never one of them. */
const collectionNames = [
  ...(['benchmarks', 'calibrations', 'searches', 'nights', 'evals'] as const),
  ...(['triggers', 'descriptions', 'recorded', 'ranks'] as const),
]

export type Collection = (typeof collectionNames)[number]

export function collectionFolder(workspace: string, collection: Collection): string {
  return path.join(workspace, collection)
}

const collections: ReadonlySet<string> = new Set(collectionNames)

/** What Whetstone writes into and removes from, in a workspace. */
export const workspaceFolders: readonly string[] = [
  ...collections,
  ...['.cache', 'versions', 'mixes', 'proposals', 'sessions', 'backups', 'watch', 'prunes'],
]

/** The workspace of a benchmark folder; null: it is not inside one. */
export function findBenchmarkWorkspace(folder: string): string | null {
  const above = path.dirname(folder)
  const isInside = isTimestampName(path.basename(folder)) && collections.has(path.basename(above))
  return isInside ? path.dirname(above) : null
}

/** Whether a folder has a timestamp as its name, as benchmarks do. */
export function isTimestampName(name: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(name)
}

/** Paths of a benchmark folder, absolute. */
export function benchmarkPaths(folder: string) {
  return {
    folder,
    plan: path.join(folder, 'plan.json'),
    benchmark: path.join(folder, 'benchmark.json'),
    markdown: path.join(folder, 'benchmark.md'),
    report: path.join(folder, 'report.html'),
    /** The amounts paid under a budget. */
    spent: path.join(folder, 'spent.jsonl'),
    judgeBatches: path.join(folder, 'judge_batches.json'),
    /** Of a benchmark of two equal arms: the data that later ones use. */
    calibration: path.join(folder, 'calibration.json'),
    /** The result of a set of trigger queries. */
    triggers: path.join(folder, 'triggers.json'),
    /** The result of the queries of many skills. */
    triggerMatrix: path.join(folder, 'trigger_matrix.json'),
    olderTests: path.join(folder, 'older_runs.json'),
    /** Older runs that were run again for such a test, by run id. */
    older: path.join(folder, '.older'),
    /** Runs are filled here and renamed into place when complete. */
    partial: path.join(folder, '.partial'),
    /** Exists while reports are being written; remains after an interruption. */
    reporting: path.join(folder, '.reporting'),
  }
}

export type BenchmarkPaths = ReturnType<typeof benchmarkPaths>

/** Paths of the index over several benchmarks, absolute. */
export function indexPaths(root: string) {
  return {
    index: path.join(root, 'index.json'),
    markdown: path.join(root, 'index.md'),
    page: path.join(root, 'index.html'),
  }
}

/** The paths that `improve` uses in a workspace, absolute. */
export function improvePaths(workspace: string) {
  return {
    history: path.join(workspace, 'history.json'),
    versions: path.join(workspace, 'versions'),
    version: (name: string) => path.join(workspace, 'versions', name),
    /** Versions with random halves of a round's edits, by round. */
    mixes: path.join(workspace, 'mixes'),
    /** Input, work and output of each proposer, by round and number. */
    proposals: path.join(workspace, 'proposals'),
    /** Written when a session ends with a certified version. */
    pullRequest: path.join(workspace, 'pull_request.md'),
    /** Earlier sessions, by their start. */
    sessions: path.join(workspace, 'sessions'),
    /** The author's skill before a version was applied. */
    backups: path.join(workspace, 'backups'),
  }
}

export function prunesFolder(workspace: string): string {
  return path.join(workspace, 'prunes')
}

/** The files of a ranking, absolute. */
export function rankPaths(folder: string) {
  return {
    rank: path.join(folder, 'rank.json'),
    markdown: path.join(folder, 'rank.md'),
    page: path.join(folder, 'rank.html'),
  }
}

/** Paths of one run, absolute. `runId` is its folder relative to the benchmark. */
export function runPaths(benchmark: string, runId: string) {
  const folder = path.join(benchmark, runId)
  return {
    folder,
    record: path.join(folder, 'run.json'),
    grading: path.join(folder, 'grading.json'),
    /** The n-th repeated grading of the same run, from 1. */
    again: (n: number) => path.join(folder, `grading-again-${n}.json`),
    timing: path.join(folder, 'timing.json'),
    metrics: path.join(folder, 'outputs/metrics.json'),
    transcript: path.join(folder, 'transcript.md'),
    outputs: path.join(folder, 'outputs'),
  }
}

/** Paths of eval_metadata.json for a run's case: in the case's folder for the aggregator, in the arm's for the review page. */
export function metadataPaths(benchmark: string, runId: string): string[] {
  const arm = path.dirname(path.join(benchmark, runId))
  return [path.join(path.dirname(arm), 'eval_metadata.json'), path.join(arm, 'eval_metadata.json')]
}

/** A folder name for a moment: 2026-01-15T10-30-00Z. */
export function timestampName(moment: Date): string {
  return `${moment.toISOString().slice(0, 19).replaceAll(':', '-')}Z`
}
