/** What a call of watch would run and cost, per night and per month, and how soon it would find a fall. Runs and writes nothing. */
import type { Plan } from '../../../schemas/plan.ts'
import type { WatchBaseline } from '../../../schemas/watch.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { planBench } from '../../flows/bench/bench.ts'
import { type Estimate, estimateBench } from '../../flows/estimate/estimate_bench.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { checkStart } from '../../flows/prepare/check_start.ts'
import type { StartRefusal } from '../../flows/prepare/preflight.ts'
import type { BenchRequest } from '../../flows/prepare/prepare_bench.ts'
import { followLevel, type LevelRun } from '../../phases/4-report/diff/level_evidence.ts'
import { createSeededRandom } from '../../phases/4-report/stats/distributions/seeded_random.ts'
import { planBaseline, planNight } from './night_plan.ts'
import { createWatchBench, prepareWatch, refuseOtherModel } from './prepare_watch.ts'
import type { WatchRequest } from './watch_request.ts'
import { levelSettings, type usualWatch } from './watch_state.ts'

export interface WatchForecast {
  folder: string
  skill: string
  cases: number
  next: 'baseline' | 'night' | 'nothing'
  baseline: { runs: number; usd: number | null } | null
  night: { runs: number; usd: number | null; month_usd: number | null }
  /** Earlier runs that the estimate uses. */
  from_runs: number
  /** The share of simulated falls of this size that is found within 7 and 14 nights. */
  chance: { fall: number; from: number; nights_7: number; nights_14: number }
  refusals: StartRefusal[]
}

const nightsPerMonth = 30

export async function forecastWatch(request: WatchRequest, context: FlowContext): Promise<WatchForecast> {
  const { prepared, paths, cases, kept, rule } = await prepareWatch(request, context)
  const last = kept?.watch.nights.at(-1)?.model
  if (kept !== null && !request.rebaseline && last !== undefined && last !== kept.baseline.model)
    refuseOtherModel(kept.baseline.model, last, paths.folder)
  const isNew = kept === null || request.rebaseline
  const size = request.runsPerNight
  // the first estimate comes from other benchmarks of the workspace
  const workspace = kept === null ? prepared.workspace : paths.folder
  const estimate = (runs: number, reshape: (plan: Plan) => Plan) =>
    estimateRuns(createWatchBench(request, { runs, reshape, workspace }), context)
  const night = await estimate(Math.ceil(size / cases.length), (plan) => planNight(plan, { before: 0, size, after: 0 }))
  const whole = isNew ? await estimate(request.baselineRuns, planBaseline) : null
  const usd = night.estimate.usd
  return {
    folder: paths.folder,
    skill: prepared.plan.skill.name,
    cases: cases.length,
    next: isNew ? 'baseline' : kept.watch.status === 'alarm' ? 'nothing' : 'night',
    baseline: whole && { runs: whole.plan.runs.length, usd: whole.estimate.usd },
    night: { runs: size, usd, month_usd: usd === null ? null : nightsPerMonth * usd },
    from_runs: night.estimate.from_runs,
    chance: forecastChance({ ...request, ...rule }, isNew ? null : kept.baseline, cases.length),
    refusals: (whole ?? night).refusals,
  }
}

async function estimateRuns(
  asked: BenchRequest,
  context: FlowContext,
): Promise<{ plan: Plan; estimate: Estimate; refusals: StartRefusal[] }> {
  await using scratch = await openTempDir()
  const refusals: StartRefusal[] = []
  const refuse = (reason: StartRefusal) => void refusals.push(reason)
  const prepared = await planBench(asked, context, refuse)
  await checkStart(prepared, asked, { scratch: scratch.path, refuse, isDryRun: true }, context)
  const { concurrency } = asked
  const none = { folder: null, reused: new Map(), again: new Set<string>() }
  const estimate = await estimateBench(prepared, { concurrency, ...none, limits: asked.limits, prices: context.prices })
  return { plan: prepared.plan, estimate, refusals }
}

/** By the cases' rates in the baseline; without one, as if every case passed in 90% of its runs. */
function forecastChance(
  request: Pick<WatchRequest, 'baselineRuns' | 'runsPerNight'> & typeof usualWatch,
  baseline: WatchBaseline | null,
  cases: number,
): WatchForecast['chance'] {
  const rates = baseline === null ? Array.from({ length: cases }, () => 0.9) : caseRates(baseline)
  const baselineRuns = baseline === null ? request.baselineRuns : Math.round(baseline.runs.length / cases)
  const design = {
    rates,
    baselineRuns,
    runsPerNight: request.runsPerNight,
    fall: request.detect,
    detect: request.detect,
    limit: request.quietNights,
  }
  return {
    fall: request.detect,
    from: rates.reduce((sum, one) => sum + one, 0) / rates.length,
    nights_7: computeDetectionChance({ ...design, nights: 7 }),
    nights_14: computeDetectionChance({ ...design, nights: 14 }),
  }
}

function caseRates({ cases, runs }: WatchBaseline): number[] {
  return cases.map(({ eval_id }) => {
    const own = runs.filter((run) => run.eval_id === eval_id)
    return own.length === 0 ? 0.9 : own.reduce((sum, { score }) => sum + score, 0) / own.length
  })
}

interface DetectionDesign {
  /** Pass rate of each case before the fall, 0 to 1. */
  rates: readonly number[]
  /** Earlier runs of each case. */
  baselineRuns: number
  runsPerNight: number
  nights: number
  /** Fall of the mean, as a share of 1. */
  fall: number
  limit: number
  detect: number
}

const lives = 200

/** The share of 200 simulated watches that alarm within the nights, if every case loses the same share of its pass rate in the first night. */
export function computeDetectionChance(design: DetectionDesign): number {
  const { rates, nights, fall, limit, detect } = design
  const mean = rates.reduce((sum, one) => sum + one, 0) / rates.length
  const kept = mean === 0 ? 1 : Math.max(0, 1 - fall / mean)
  const lowered = rates.map((rate) => rate * kept)
  const random = createSeededRandom(1)
  const draw = (from: readonly number[], at: number): LevelRun => {
    const eval_id = at % from.length
    return { eval_id, score: random() < (from[eval_id] ?? 0) ? 1 : 0 }
  }
  let found = 0
  for (let life = 0; life < lives; life += 1) {
    const baseline = Array.from({ length: rates.length * design.baselineRuns }, (_, at) => draw(rates, at))
    const steps = Array.from({ length: nights }, (_, night) => ({
      runs: Array.from({ length: design.runsPerNight }, (__, run) => draw(lowered, night * design.runsPerNight + run)),
    }))
    const ends = followLevel(baseline, steps, { ...levelSettings({ limit, detect }), seed: life })
    if (ends.some(({ isAlarm }) => isAlarm)) found += 1
  }
  return found / lives
}
