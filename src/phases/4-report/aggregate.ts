/** aggregate: from the runs and gradings of a plan to `benchmark.json`. */
import type { Benchmark, RunCounts } from '../../../schemas/benchmark.ts'
import type { Noise } from '../../../schemas/benchmark_statistics.ts'
import { type Arms, summarizeArms } from './arms.ts'
import { caseRows } from './case_rows.ts'
import { classifyAll, type Outcome } from './classify.ts'
import { costOf, judgeCost } from './cost.ts'
import { gradingNoise } from './grading_noise.ts'
import { heldBackIn } from './held_back.ts'
import type { AggregateInput, PlannedRun } from './input.ts'
import { otherAttemptsOf, versionsIn } from './notes/attempts.ts'
import { notes } from './notes.ts'
import { reusedOf } from './reused.ts'
import { buildStatistics } from './stats/build.ts'
import { type Released, releasedOf } from './until.ts'

/** The order of `planned` and `cases` does not matter: runs come by eval_id, candidate before baseline, run_number. */
export function aggregate(asked: AggregateInput): Benchmark {
  const arms: Arms = { candidate: asked.candidate, baseline: asked.baseline }
  const input = withReleased(asked, releasedOf(asked, arms))
  const ordered = inOrder(input.planned, arms)
  const outcomes = classifyAll(ordered, input)
  const runs = outcomes.flatMap((outcome) => (outcome.status === 'used' ? outcome.run : []))
  const excluded = outcomes.flatMap((outcome) => (outcome.status === 'excluded' ? outcome.run : []))
  const undecided = outcomes.map(({ judgeErrors }) => judgeErrors).filter((errors) => errors.length > 0)
  const counts = countsOf(outcomes)
  const counted = outcomes.flatMap(({ status, run }, at) =>
    status === 'used' ? { runId: ordered[at]?.run_id ?? '', run } : [],
  )
  const grading = gradingNoise(counted, arms, input.results)
  const held_back = heldBackIn(input.results.values())
  const engine_versions = versionsIn(input.results.values())
  const other_attempts = otherAttemptsOf(input.otherAttempts ?? [])
  const parts = {
    schema_version: 1 as const,
    metadata: metadataOf(input, counts),
    runs,
    run_summary: summarizeArms(runs, arms),
    complete: isComplete(counts) && undecided.length === 0,
    counts,
    cases: caseRows(input.cases, runs, arms),
    ...(input.chosen && { chosen: input.chosen }),
    excluded_runs: excluded,
    cost: costOf(input),
    ...reusedIn(input),
    statistics: buildStatistics(runs, arms, { ...input.statistics, noise: noiseOf(input, grading) }),
    ...(held_back && { held_back }),
    ...(other_attempts && { other_attempts }),
    ...(engine_versions && { engine_versions }),
  }
  const written = notes({ ...parts, arms, cannotRun: cannotRun(input), undecided })
  const { schema_version, metadata, runs: listed, run_summary, ...rest } = parts
  return { schema_version, metadata, runs: listed, run_summary, notes: written, ...rest }
}

/** What is known of the noise, from elsewhere and from gradings again; null: nothing. */
function noiseOf({ statistics }: AggregateInput, grading: Noise['grading']): Noise | null {
  const calibration = statistics?.noise?.calibration ?? null
  return calibration === null && grading === null ? null : { calibration, grading }
}

/** Runs that no look has released are not planned yet. */
function withReleased(input: AggregateInput, released: Released | null): AggregateInput {
  if (released === null) return input
  const { planned, sequential, until } = released
  const metadata = { ...input.metadata, runsPerConfiguration: until.next ?? until.blocks }
  return { ...input, planned, metadata, statistics: { ...input.statistics, sequential } }
}

/** Every planned run has a grade, or has none by design or by choice: no criteria, a time-out that the user left out. */
function isComplete({ planned, used, ungraded, excluded }: RunCounts): boolean {
  return planned > 0 && used + ungraded + (excluded.timed_out ?? 0) === planned
}

function reusedIn({ planned, results }: AggregateInput): Pick<Benchmark, 'reused'> {
  const reused = reusedOf(planned.map((run) => results.get(run.run_id)?.record ?? null))
  if (reused === null) return {}
  const judges = planned.flatMap((run) => results.get(run.run_id)?.grading?.judge ?? [])
  return { reused: { ...reused, judge_usd: judgeCost(judges.filter(({ cached_from }) => cached_from !== undefined)) } }
}

function inOrder(planned: readonly PlannedRun[], { candidate, baseline }: Arms): PlannedRun[] {
  const place = (run: PlannedRun) => [candidate, baseline].indexOf(run.configuration)
  return [...planned].sort((a, b) => a.eval_id - b.eval_id || place(a) - place(b) || a.run_number - b.run_number)
}

function countsOf(outcomes: readonly Outcome[]): RunCounts {
  const counts: RunCounts = { planned: outcomes.length, used: 0, ungraded: 0, excluded: {} }
  for (const { status, run } of outcomes) {
    if (status === 'used') counts.used += 1
    else if (run.reason === 'ungraded') counts.ungraded += 1
    else {
      const why = run.kind === null ? run.reason : `${run.reason}:${run.kind}`
      counts.excluded[why] = (counts.excluded[why] ?? 0) + 1
    }
  }
  return counts
}

function cannotRun({ cases }: AggregateInput): { eval_id: number; eval_name: string; reason: string }[] {
  return [...cases]
    .sort((a, b) => a.eval_id - b.eval_id)
    .flatMap(({ eval_id, eval_name, cannot_run: reason }) => (reason === null ? [] : { eval_id, eval_name, reason }))
}

function metadataOf(input: AggregateInput, counts: RunCounts): Benchmark['metadata'] {
  const { metadata: given, planned, results } = input
  const made = planned.filter((run) => results.has(run.run_id)).map((run) => run.eval_id)
  return {
    skill_name: given.skillName,
    skill_path: given.skillPath,
    executor_model: given.executorModel,
    analyzer_model: given.analyzerModel,
    timestamp: given.timestamp,
    evals_run: [...new Set(made)].sort((a, b) => a - b),
    runs_per_configuration: given.runsPerConfiguration,
    runs_planned: counts.planned,
    runs_used: counts.used,
    candidate_configuration: input.candidate,
    baseline_configuration: input.baseline,
    ...(given.engine === undefined ? {} : { engine: given.engine }),
    ...(given.engineVersion === undefined ? {} : { engine_version: given.engineVersion }),
    ...(given.judge === undefined ? {} : { judge: given.judge }),
    on_timeout: input.onTimeout,
    cannot_run: cannotRun(input).map(({ eval_id, reason }) => ({ eval_id, reason })),
  }
}
