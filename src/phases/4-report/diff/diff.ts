/** diff: compares one configuration of two benchmarks: what got better, worse or changed, and how sure that is. */
import type { Benchmark, BenchmarkRun, ExcludedRun } from '../../../../schemas/benchmark.ts'
import type {
  BenchmarkDiff,
  CaseChange,
  PlanDifference,
  TurnedExpectation,
} from '../../../../schemas/benchmark_diff.ts'
import type { Statistics, StatisticsExpectation } from '../../../../schemas/benchmark_statistics.ts'
import type { Plan } from '../../../../schemas/plan.ts'
import { findArms } from '../benchmark/arms.ts'
import { readCaseRows } from '../benchmark/case_rows.ts'
import { buildStatistics } from '../stats/build_statistics.ts'
import { chosenText } from '../text/selected_cases.ts'

export type DiffArm = 'candidate' | 'baseline'

/** Cases are matched by the suite's own key, else by name. A null configuration: that benchmark has none of this kind. */
export function diffBenchmarks(before: DiffSide, after: DiffSide, arm: DiffArm): BenchmarkDiff {
  return diffSides({ ...before, arm }, { ...after, arm })
}

export function diffConfigurations(side: DiffSide): BenchmarkDiff {
  return diffSides({ ...side, arm: 'baseline' }, { ...side, arm: 'candidate' })
}

type ArmSide = DiffSide & { arm: DiffArm }

function diffSides(before: ArmSide, after: ArmSide): BenchmarkDiff {
  const [old, now] = [selectArmRuns(before), selectArmRuns(after)]
  const ids = matchCaseNames(old.runs, now.runs, old.leftOut, now.leftOut)
  const runs = [
    ...old.runs.flatMap((run) => relabelRuns(run, 'old_skill', ids)),
    ...now.runs.flatMap((run) => relabelRuns(run, 'new_skill', ids)),
  ]
  const leftOut = [
    ...old.leftOut.flatMap((run) => relabelRuns(run, 'old_skill', ids)),
    ...now.leftOut.flatMap((run) => relabelRuns(run, 'new_skill', ids)),
  ]
  const statistics = buildStatistics(runs, { candidate: 'new_skill', baseline: 'old_skill' }, { leftOut })
  const names = new Map([...ids].map(([name, id]) => [id, name]))
  const adjusted = new Map(statistics.comparisons.map(({ eval_id, p_adjusted }) => [eval_id, p_adjusted]))
  const rows = statistics.cases.map((row): CaseChange => {
    const p = adjusted.get(row.eval_id) ?? null
    const { mean_b: before, mean_a: after, difference, ci_low, ci_high } = row
    const change = classifyCaseChange({ before, after, difference, p }, statistics.alpha)
    return { name: names.get(row.eval_id) ?? '', change, before, after, difference, ci_low, ci_high, p_adjusted: p }
  })
  return {
    schema_version: 1,
    before: { name: before.name, configuration: old.configuration, timestamp: before.benchmark.metadata.timestamp },
    after: { name: after.name, configuration: now.configuration, timestamp: after.benchmark.metadata.timestamp },
    plan: diffPlans(before, after),
    alpha: statistics.alpha,
    scopes: statistics.scopes && {
      these_cases: withoutSentence(statistics.scopes.these_cases),
      cases_like_these: withoutSentence(statistics.scopes.cases_like_these),
    },
    ...(statistics.missing_grades && { missing_grades: statistics.missing_grades }),
    ratios: statistics.ratios,
    cases: rows.sort((a, b) => (a.difference ?? 0) - (b.difference ?? 0)),
    turned: findTurnedExpectations(statistics, names),
  }
}

function withoutSentence<S extends { sentence: string }>({ sentence: _, ...scope }: S): Omit<S, 'sentence'> {
  return scope
}

interface NamedRun<R> {
  name: string
  run: R
}

interface Arm {
  configuration: string | null
  runs: NamedRun<BenchmarkRun>[]
  leftOut: NamedRun<ExcludedRun>[]
}

function selectArmRuns({ benchmark, arm }: ArmSide): Arm {
  const configuration = findArms(benchmark)[arm]
  const rows = readCaseRows(benchmark).map((row) => ({ id: row.eval_id, name: row.eval_key ?? row.eval_name }))
  // names that come from prompts can be those of several cases
  const isShared = (name: string) => rows.filter((one) => one.name === name).length > 1
  const names = new Map(rows.map(({ id, name }) => [id, isShared(name) ? `${name} (${id})` : name]))
  const own = <R extends BenchmarkRun | ExcludedRun>(runs: readonly R[]): NamedRun<R>[] =>
    runs.flatMap((run) =>
      run.configuration === configuration ? { name: names.get(run.eval_id) ?? run.eval_name, run } : [],
    )
  return { configuration, runs: own(benchmark.runs), leftOut: own(benchmark.excluded_runs ?? []) }
}

function matchCaseNames(...sides: { name: string }[][]): Map<string, number> {
  const names = [...new Set(sides.flat().map(({ name }) => name))]
  return new Map(names.map((name, at) => [name, at + 1]))
}

function relabelRuns<R extends BenchmarkRun | ExcludedRun>(
  { name, run }: NamedRun<R>,
  configuration: string,
  ids: Map<string, number>,
): R[] {
  const eval_id = ids.get(name)
  return eval_id === undefined ? [] : [{ ...run, eval_id, configuration }]
}

interface CaseDifference {
  before: number | null
  after: number | null
  difference: number | null
  p: number | null
}

/** Better or worse only if significant after adjusting for the number of cases. */
function classifyCaseChange({ before, after, difference, p }: CaseDifference, alpha: number): CaseChange['change'] {
  if (before === null) return 'appeared'
  if (after === null) return 'vanished'
  if (difference === null || difference === 0) return 'same'
  if (p === null || p > alpha) return 'within_chance'
  return difference > 0 ? 'improved' : 'regressed'
}

/** Expectations whose pass rates differ significantly, after adjusting for the number of expectations. */
function findTurnedExpectations(
  { expectations, alpha }: Statistics,
  names: ReadonlyMap<number, string>,
): TurnedExpectation[] {
  return expectations.flatMap(({ eval_id, text, p_adjusted, baseline, candidate }) => {
    if (p_adjusted === undefined || p_adjusted > alpha) return []
    const counts = ({ passed, total }: StatisticsExpectation['candidate']) => ({ passed, total })
    return { case: names.get(eval_id) ?? '', text, before: counts(baseline), after: counts(candidate), p_adjusted }
  })
}

type Fact = string | null

/** Only differences; `null`: that benchmark does not say. */
function diffPlans(before: DiffSide, after: DiffSide): PlanDifference[] {
  const [old, now] = [listPlanFacts(before), listPlanFacts(after)]
  return Object.keys(now).flatMap((what) => {
    const [a, b] = [old[what] ?? null, now[what] ?? null]
    return a === b ? [] : { what, before: a, after: b }
  })
}

function listPlanFacts({ benchmark, plan }: DiffSide): Record<string, Fact> {
  const { metadata } = benchmark
  const text = (value: unknown): Fact => (value === null || value === undefined ? null : String(value))
  const options = plan?.options
  const often = plan && (options?.judge_samples ?? 1)
  return {
    'agent command': text(options?.engine.command),
    'judge command': text(options?.judge?.command),
    'base URL': text(options?.engine.base_url),
    "judge's base URL": text(options?.judge?.base_url),
    effort: text(options?.engine.effort),
    "judge's effort": text(options?.judge?.effort),
    'judge samples': text(often),
    'require evidence': text(plan && (options?.require_evidence ?? false)),
    'on timeout': text(options?.on_timeout),
    skill: metadata.skill_name,
    'skill version': text(plan?.skill.sha256.slice(0, 12)),
    suite: text(plan?.suite.sha256.slice(0, 12)),
    model: metadata.executor_model,
    engine: text(plan?.options.engine.name ?? metadata.engine),
    'engine version': text(metadata.engine_version),
    judge: text(
      plan === null ? metadata.judge : [plan.options.judge?.name, plan.options.judge?.model].filter(Boolean).join(':'),
    ),
    'compared with': text(findArms(benchmark).baseline),
    baseline: text(plan?.baseline?.sha256.slice(0, 12)),
    'cases run': benchmark.chosen === undefined ? 'all' : chosenText(benchmark.chosen),
    'runs a case': text(metadata.runs_per_configuration),
    timeout: text(plan?.options.timeout_seconds),
    'max turns': text(plan?.options.max_turns),
    activation: text(plan?.options.activation),
  }
}

/** One of the two benchmarks, as it is on disk. */
export interface DiffSide {
  name: string
  benchmark: Benchmark
  /** null: another tool wrote it, or it is older than plans. */
  plan: Plan | null
}
