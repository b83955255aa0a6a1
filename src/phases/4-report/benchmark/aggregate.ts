/** Builds `benchmark.json` from the runs and gradings of a plan. */
import type { Benchmark, BenchmarkRun, RunCounts } from '../../../../schemas/benchmark.ts'
import type { Noise } from '../../../../schemas/benchmark_statistics.ts'
import type { Grading } from '../../../../schemas/grading.ts'
import type { HeldBack } from '../../../../schemas/held_back.ts'
import type { OlderRuns } from '../../../../schemas/older_runs.ts'
import { countSuspicious } from '../judge/suspicious_runs.ts'
import { writeNotes } from '../notes/notes.ts'
import { countEngineVersions, summarizeFurtherCalls, summarizeOtherAttempts } from '../notes/rules/attempts.ts'
import { buildStatistics } from '../stats/build_statistics.ts'
import { withoutTests } from '../stats/scopes/observational.ts'
import { dialogueVariance, splitNoise } from '../stats/scores/noise.ts'
import { findArmSide, rulesApply, scoreExpectations } from '../stats/scores/scored_runs.ts'
import { countSkillsRead } from '../stats/scores/skills_read.ts'
import { formatPlural } from '../text/format.ts'
import type { AggregateInput, PlannedRun, RunWithGrading } from './aggregate_input.ts'
import { type BenchmarkArms, summarizeArms } from './arms.ts'
import { buildCaseRows } from './case_rows.ts'
import { classifyRuns, failOtherModels, keepCountingRuns, type RunOutcome } from './classify_runs.ts'
import { judgeCost, summarizeCost } from './cost.ts'
import {
  ageText,
  countLooks,
  findStaleRuns,
  isAnotherHour,
  type RunOrigin,
  readOrigin,
  type StaleRun,
  usualBaselineAge,
} from './older_runs/stale_runs.ts'
import { alphaOfLook, summarizeReusedRuns } from './provenance.ts'
import { findReleasedRuns, type ReleasedRuns } from './released_runs.ts'

/** The order of `planned` and `cases` does not matter: runs are sorted by eval_id, candidate before baseline, run_number. */
export function aggregate(given: AggregateInput): Benchmark {
  const asked = { ...given, results: failOtherModels(given) }
  const arms: BenchmarkArms = { candidate: asked.candidate, baseline: asked.baseline }
  const input = limitToReleased(asked, findReleasedRuns(asked, arms))
  const ordered = sortPlannedRuns(input.planned, arms)
  const outcomes = classifyRuns(ordered, input)
  const runs = outcomes.flatMap((outcome) => (outcome.status === 'used' ? outcome.run : []))
  const excluded = outcomes.flatMap((outcome) => (outcome.status === 'excluded' ? outcome.run : []))
  const undecided = outcomes.map(({ judgeErrors }) => judgeErrors).filter((errors) => errors.length > 0)
  const counts = countOutcomes(outcomes)
  const counted = outcomes.flatMap(({ status, run }, at) =>
    status === 'used' ? { runId: ordered[at]?.run_id ?? '', run } : [],
  )
  const grading = gradingNoise(counted, arms, input.results)
  const held_back = summarizeHeldBack(input.results.values())
  const engine_versions = countEngineVersions(input.results.values())
  const further_calls = summarizeFurtherCalls(input.results.values())
  const other_attempts = summarizeOtherAttempts(input.otherAttempts ?? [])
  const skills_read = countSkillsRead(input, new Set(counted.map(({ runId }) => runId)), arms)
  const origins = listOrigins(input)
  const looks = countLooks(input.planned, origins)
  const statistics = buildStatistics(runs, arms, {
    ...input.statistics,
    alpha: alphaOfLook(looks),
    isAnotherHour: isAnotherHour(input.planned, origins),
    noise: combineNoise(input, grading),
    leftOut: excluded,
    olderRuns: findStaleBaseline({ ...input, planned: keepCountingRuns(input) }),
  })
  const parts = {
    schema_version: 1 as const,
    metadata: buildMetadata(input, counts),
    runs,
    run_summary: summarizeArms(runs, arms),
    complete: isComplete(counts) && undecided.length === 0,
    counts,
    cases: buildCaseRows(input.cases, runs, arms),
    ...(input.observational && { observational: true as const }),
    ...(input.chosen && { chosen: input.chosen }),
    ...(input.baselineNote !== undefined && { baseline_note: input.baselineNote }),
    excluded_runs: excluded,
    cost: summarizeCost(input),
    injection_attempts: countSuspicious(counted, arms),
    ...(skills_read.length > 0 && { skills_read }),
    ...summarizeReused(input, looks),
    statistics: input.observational ? withoutTests(statistics, arms) : statistics,
    ...(held_back && { held_back }),
    ...summarizeSuspended(input),
    ...(further_calls && { further_calls }),
    ...(other_attempts && { other_attempts }),
    ...(engine_versions && { engine_versions }),
  }
  const written = writeNotes({ ...parts, arms, cannotRun: cannotRun(input), undecided })
  const { schema_version, metadata, runs: listed, run_summary, ...rest } = parts
  return { schema_version, metadata, runs: listed, run_summary, notes: written, ...rest }
}

/** The noise from a calibration and from repeated gradings; null: neither is known. */
function combineNoise({ statistics }: AggregateInput, grading: Noise['grading']): Noise | null {
  const calibration = statistics?.noise?.calibration ?? null
  return calibration === null && grading === null ? null : { calibration, grading }
}

/** Runs that are not released yet do not count as planned. */
function limitToReleased(input: AggregateInput, released: ReleasedRuns | null): AggregateInput {
  if (released === null) return input
  const { planned, sequential, until } = released
  const metadata = { ...input.metadata, runsPerConfiguration: until.next ?? until.blocks }
  return { ...input, planned, metadata, statistics: { ...input.statistics, sequential } }
}

/** Every planned run has a grade, or has none on purpose: no criteria, quarantine, or a time-out that the user excludes. */
function isComplete({ planned, used, ungraded, quarantined = 0, excluded }: RunCounts): boolean {
  return planned > 0 && used + ungraded + quarantined + (excluded.timed_out ?? 0) === planned
}

function summarizeReused({ planned, results }: AggregateInput, looks: number): Pick<Benchmark, 'reused'> {
  const reused = summarizeReusedRuns(
    planned.map((run) => results.get(run.run_id)?.record ?? null),
    looks,
  )
  if (reused === null) return {}
  const judges = planned.flatMap((run) => results.get(run.run_id)?.grading?.judge ?? [])
  return { reused: { ...reused, judge_usd: judgeCost(judges.filter(({ cached_from }) => cached_from !== undefined)) } }
}

function summarizeSuspended({ planned, results }: AggregateInput): Pick<Benchmark, 'suspended'> {
  const records = planned.flatMap(({ run_id }) => results.get(run_id)?.record ?? [])
  const gaps = records.flatMap(({ suspended_ms, cached_from }) => (cached_from ? [] : (suspended_ms ?? [])))
  return gaps.length === 0 ? {} : { suspended: { runs: gaps.length, longest_ms: Math.max(...gaps) } }
}

function sortPlannedRuns(planned: readonly PlannedRun[], { candidate, baseline }: BenchmarkArms): PlannedRun[] {
  const place = (run: PlannedRun) => [candidate, baseline].indexOf(run.configuration)
  return [...planned].sort((a, b) => a.eval_id - b.eval_id || place(a) - place(b) || a.run_number - b.run_number)
}

function countOutcomes(outcomes: readonly RunOutcome[]): RunCounts {
  const counts: RunCounts = { planned: outcomes.length, used: 0, ungraded: 0, excluded: {} }
  for (const { status, run } of outcomes) {
    if (status === 'used') counts.used += 1
    else if (run.reason === 'ungraded') counts.ungraded += 1
    else if (run.reason === 'quarantined') counts.quarantined = (counts.quarantined ?? 0) + 1
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

function buildMetadata(input: AggregateInput, counts: RunCounts): Benchmark['metadata'] {
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

/** A shorter total wait is not reported, in milliseconds. */
const notable = 1000

/** Over runs and their judges, without cached ones: those waited in another benchmark. null: nothing to report. */
function summarizeHeldBack(results: Iterable<Pick<RunWithGrading, 'record' | 'grading'>>): HeldBack | null {
  const sum = { refusals: 0, waited_ms: 0 }
  for (const { record, grading } of results) {
    const judge = grading?.judge
    const parts = [record?.cached_from ? null : record?.held_back, judge?.cached_from ? null : judge?.held_back]
    for (const part of parts) {
      sum.refusals += part?.refusals ?? 0
      sum.waited_ms += part?.waited_ms ?? 0
    }
  }
  return sum.refusals === 0 && sum.waited_ms < notable ? null : sum
}

/** null: there is nothing to say, because all runs were performed for this benchmark and no runs of a pair are far apart. */
export function findStaleBaseline(
  input: Pick<AggregateInput, 'planned' | 'results' | 'baseline' | 'olderRuns'>,
): OlderRuns | null {
  const { planned, results, baseline, olderRuns: known = null } = input
  if (baseline === null) return null
  const ageMs = known === null ? usualBaselineAge : known.baseline_age_seconds * 1000
  const origins = listOrigins({ planned, results })
  const stale = findStaleRuns({ runs: planned, origins, ageMs, now: null })
  const tests = known?.tests ?? []
  const isReused = [...origins.values()].some(({ benchmark }) => benchmark !== null)
  if (stale.length === 0 && tests.length === 0 && (known === null || !isReused)) return null
  const passed = new Set(tests.flatMap(({ configuration, result }) => (result === 'no_drift' ? [configuration] : [])))
  const untested = stale.filter(({ run, why }) => why === 'engine' || !passed.has(run.configuration))
  const counts: Record<string, number> = {}
  for (const { run } of untested) counts[run.configuration] = (counts[run.configuration] ?? 0) + 1
  return {
    is_concurrent: untested.length === 0,
    reason: untested.length === 0 ? null : explainStaleRuns(counts, untested, ageMs),
    baseline_age_seconds: ageMs / 1000,
    untested: counts,
    tests: [...tests],
  }
}

/** Of the graded runs, by run id. */
function listOrigins({ planned, results }: Pick<AggregateInput, 'planned' | 'results'>): Map<string, RunOrigin> {
  const graded = planned.flatMap(({ run_id }) => {
    const { record = null, grading = null } = results.get(run_id) ?? {}
    return record === null || grading === null ? [] : [[run_id, readOrigin(record)] as const]
  })
  return new Map(graded)
}

/** "8 without_skill runs are older than the runs they are compared with by more than 24 h, and not tested for drift". */
function explainStaleRuns(counts: OlderRuns['untested'], stale: readonly StaleRun[], ageMs: number): string {
  const runs = Object.entries(counts).map(([name, count]) => formatPlural(count, `${name} run`))
  const are = stale.length === 1 ? 'is' : 'are'
  const why = stale.every(({ why: one }) => one === 'engine')
    ? 'from another model or engine version than the runs compared with'
    : `more than ${ageText(ageMs)} older than the runs compared with, and not tested for drift`
  return `${runs.join(' and ')} ${are} ${why}`
}

/** Over the cases and configurations with a run that the same judge graded again under the same criteria; null: none. */
function gradingNoise(
  runs: readonly { runId: string; run: BenchmarkRun }[],
  arms: BenchmarkArms,
  results: AggregateInput['results'],
): Noise['grading'] {
  if (!runs.some(({ runId }) => results.get(runId)?.again)) return null
  const cells = new Map<string, { scores: number[]; dialogue: string | null }[]>()
  for (const { runId, run } of runs) {
    if (findArmSide(run, arms) === null) continue
    const { grading = null, again = [], record = null } = results.get(runId) ?? {}
    const alike = again.filter((one) => isAlike(one, grading))
    const scores = [grading, ...alike].flatMap((one) => readPassedShare(one, rulesApply(arms)) ?? [])
    const key = `${run.eval_id} ${run.configuration}`
    const cell = cells.get(key) ?? []
    const dialogue = record?.conversation?.turns.map(({ prompt }) => prompt) ?? null
    if (scores.length > 0) cell.push({ scores, dialogue: dialogue && JSON.stringify(dialogue) })
    cells.set(key, cell)
  }
  const repeated = [...cells.values()].filter((all) => all.some(({ scores }) => scores.length > 1))
  const noise = splitNoise(repeated.map((all) => all.map(({ scores }) => scores)))
  const conversations = repeated
    .map((all) => all.flatMap(({ scores, dialogue }) => (dialogue === null ? [] : { scores, dialogue })))
    .filter((all) => all.length > 0)
  if (noise === null || conversations.length === 0) return noise
  return { ...noise, dialogue_variance: dialogueVariance(conversations) }
}

/** Another judge or other criteria is not a repetition; a grading with undecided expectations does not count. */
function isAlike(one: Grading, first: Grading | null): boolean {
  return first !== null && one.graded_key === first.graded_key && isWhole(one) && isWhole(first)
}

function isWhole({ judge_errors }: Grading): boolean {
  return (judge_errors ?? []).length === 0
}

function readPassedShare(grading: Grading | null, byRule: boolean): number | null {
  return grading === null ? null : (scoreExpectations(grading.expectations, byRule)?.share ?? null)
}
