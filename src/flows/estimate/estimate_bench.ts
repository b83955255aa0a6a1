/** Estimates a plan's cost and duration from earlier runs in the workspace, and the difference that it can detect. */
import { harmonicMean } from 'simple-statistics'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { UserPrices } from '../../../schemas/prices.ts'
import { planSimilarCases, type SimilarCasesSize } from '../../base/smallest_design.ts'
import { sumKnown } from '../../base/totals.ts'
import { listGainCriteria } from '../../phases/1-plan/check/rules/check_rules.ts'
import { round } from '../../phases/4-report/stats/numbers/round.ts'
import { computeNeededSize, plannedDetectable } from '../../phases/4-report/stats/power/power_before_run.ts'
import { usualOptions, usualPower } from '../../phases/4-report/stats/statistics_options.ts'
import { listDoneRuns } from '../../store/run_folders.ts'
import { type CostPart, Forecast, type ResourceUsage, readHistory, type UsageUnit } from '../history/forecast.ts'
import type { Limits } from '../limits/limits.ts'
import type { DesignWish, PreparedBench } from '../prepare/prepare_bench.ts'
import { addUsualUsage } from './usual_usage.ts'

/** A configuration's seconds are the sum of its runs. */
export interface Estimate extends ResourceUsage {
  arms: ({ configuration: string; runs: number } & ResourceUsage)[]
  judge: { gradings: number } & ResourceUsage
  /** Earlier runs that the estimate uses; 0: it is from usual amounts. */
  from_runs: number
  /** Runs already on disk that the same bench resumes from. */
  done: number
  reused: number
  /** Runs that are on disk or in the cache but too old to be compared with the others, so they are run again. */
  again: number
  /** How often the reused runs will have been compared, with runs added each time; absent: once. */
  looks?: number
  /** Of the gradings, those that are known to fit into a batch, at half the price; absent: all are asked directly. */
  batched_gradings?: number
}

export interface EstimateOptions {
  concurrency: number
  /** The judge is asked in batches, at half the price. */
  judgeBatch?: boolean | undefined
  /** The unfinished benchmark that is resumed; null: none. */
  folder: string | null
  /** By run id. */
  reused: ReadonlyMap<string, { graded: boolean }>
  /** Ids. */
  again: ReadonlySet<string>
  prices?: UserPrices | undefined
  limits?: Pick<Limits, 'costPerRun'> | undefined
}

/** `seconds` of the total: wall time at this concurrency. */
export async function estimateBench(
  { plan, workspace }: Pick<PreparedBench, 'plan' | 'workspace'>,
  options: EstimateOptions,
): Promise<Estimate> {
  const history = await readHistory(workspace, plan, { prices: options.prices })
  const { limits, prices } = options
  if (history.runs === 0) await addUsualUsage(history, plan, { costPerRun: limits?.costPerRun ?? null, prices })
  const forecast = new Forecast(plan, history, options.judgeBatch)
  const missing = await openRuns(plan, options)
  const open = missing.filter(({ run_id }) => !options.reused.has(run_id))
  const ungraded = missing.filter(({ run_id }) => options.reused.get(run_id)?.graded !== true)
  const arms = [...new Set([plan.candidate_configuration, plan.baseline_configuration])].map((configuration) => {
    const runs = open.filter((spec) => spec.configuration === configuration)
    return { configuration, runs: runs.length, ...estimateUsage(forecast, runs, 'run') }
  })
  const gradings = plan.options.judge === null ? [] : ungraded.filter((spec) => isJudged(plan, spec))
  const judge = { gradings: gradings.length, ...estimateUsage(forecast, gradings, 'grading') }
  const parts = [...arms, judge]
  return {
    usd: sumKnown(parts.map(({ usd }) => usd)),
    tokens: sumKnown(parts.map(({ tokens }) => tokens)),
    seconds: wallTime(
      open.map((spec) => forecast.of('run', spec, 'seconds')),
      options.concurrency,
    ),
    arms,
    judge,
    from_runs: history.runs,
    done: plan.runs.length - missing.length,
    reused: missing.length - open.length,
    again: options.again.size,
    ...(options.judgeBatch && {
      batched_gradings: gradings.filter(({ eval_id }) => forecast.batched.has(eval_id)).length,
    }),
  }
}

async function openRuns(plan: Plan, { folder, again }: EstimateOptions): Promise<RunSpec[]> {
  if (folder === null) return plan.runs
  const done = new Set(await listDoneRuns(folder, plan.runs))
  return plan.runs.filter((spec) => !done.has(spec) || again.has(spec.run_id))
}

function isJudged({ cases }: Plan, { eval_id }: RunSpec): boolean {
  return cases.some((one) => one.eval_id === eval_id && one.expectations.length > 0)
}

function estimateUsage(forecast: Forecast, runs: readonly RunSpec[], part: CostPart): ResourceUsage {
  const of = (unit: UsageUnit) => sumKnown(runs.map((spec) => forecast.of(part, spec, unit)))
  return { usd: of('usd'), tokens: of('tokens'), seconds: of('seconds') }
}

/** Wall time of concurrent runs: at least that of the longest. */
function wallTime(seconds: readonly (number | null)[], concurrency: number): number | null {
  const total = sumKnown(seconds)
  return total === null ? null : seconds.reduce<number>((most, one) => Math.max(most, one ?? 0), total / concurrency)
}

export interface DetectableDifference {
  power: number
  /** Cases that can run and have a criterion other than indicators. */
  cases: number
  these_cases: number
  cases_like_these: number | null
  /** Per case and arm: with fewer no outcome is significant on these cases. Absent: not known. */
  fewest_runs?: number | undefined
  /** Cases for a verdict on similar cases; absent: adaptive stopping, or no case has a criterion. */
  similar_cases?: SimilarCasesSize | undefined
}

/** `runs` per case and arm for these cases; `cases` with the planned runs for similar cases, null: no verdict with --until. */
export interface RequiredSampleSize {
  detect: number
  runs: number
  cases: number | null
}

/** `alpha`: of this look at the same runs. */
export function computeDetectableDifference(
  plan: Plan,
  power = usualPower,
  alpha = usualOptions.alpha,
): DetectableDifference {
  const design = { ...toPowerDesign(plan, power), alpha }
  const { these_cases, cases_like_these: sample, fewest_runs } = plannedDetectable(design)
  const like = sample === null ? null : round(sample, 6)
  const criteria = listGainCriteria(plan.cases)
  const { runs, until } = plan.options
  return {
    power,
    cases: criteria.length,
    these_cases: round(these_cases, 6),
    cases_like_these: like,
    fewest_runs,
    ...(until === undefined && criteria.length > 0 && { similar_cases: planSimilarCases(runs, criteria) }),
  }
}

export function computeRequiredSampleSize(plan: Plan, { power, detect }: DesignWish): RequiredSampleSize | null {
  return detect === null ? null : { detect, ...computeNeededSize(detect, toPowerDesign(plan, power ?? usualPower)) }
}

function toPowerDesign(plan: Plan, power: number) {
  const { options } = plan
  const criteria = listGainCriteria(plan.cases)
  return {
    cases: Math.max(1, criteria.length),
    runs: options.runs,
    expectations: criteria.length === 0 ? 1 : harmonicMean(criteria),
    until: options.until !== undefined,
    power,
  }
}
