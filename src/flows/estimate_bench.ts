/** What a plan will cost and how long it will take, by what earlier runs of the workspace took. */
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import { listBenchmarks, readPlan, readRun } from '../store/store.ts'
import { collectionOf } from './calibrations.ts'
import { isDone } from './execute.ts'
import { readHistory } from './history.ts'
import { Forecast, type Part, type Unit } from './observed.ts'
import type { Prepared } from './prepare.ts'
import { isComplete } from './summarize.ts'

/** Null: not known. Seconds of an arm are those of its runs one after another. */
export interface Amount {
  usd: number | null
  tokens: number | null
  seconds: number | null
}

export interface Estimate extends Amount {
  /** The runs that are not made yet, by configuration. */
  arms: ({ configuration: string; runs: number } & Amount)[]
  judge: { gradings: number } & Amount
  /** Earlier runs that it comes from; 0: nothing is known. */
  from_runs: number
  /** Runs of the plan that are on disk already: the same bench goes on there. */
  done: number
  /** Runs that are taken from the cache. */
  reused: number
}

/** `seconds` of the whole are wall time at this concurrency. */
export async function estimateBench(
  { plan, workspace }: Pick<Prepared, 'plan' | 'workspace'>,
  options: { concurrency: number; fresh: boolean; reused: ReadonlyMap<string, { graded: boolean }> },
): Promise<Estimate> {
  const history = await readHistory(workspace, plan)
  const forecast = new Forecast(plan, history)
  const missing = await openRuns(plan, options.fresh ? null : await newestOfPlan(workspace, plan))
  const open = missing.filter(({ run_id }) => !options.reused.has(run_id))
  const ungraded = missing.filter(({ run_id }) => options.reused.get(run_id)?.graded !== true)
  const arms = [plan.candidate_configuration, plan.baseline_configuration].map((configuration) => {
    const runs = open.filter((spec) => spec.configuration === configuration)
    return { configuration, runs: runs.length, ...amountOf(forecast, runs, 'run') }
  })
  const gradings = plan.options.judge === null ? [] : ungraded.filter((spec) => isJudged(plan, spec))
  const judge = { gradings: gradings.length, ...amountOf(forecast, gradings, 'grading') }
  const parts = [...arms, judge]
  return {
    usd: sum(parts.map(({ usd }) => usd)),
    tokens: sum(parts.map(({ tokens }) => tokens)),
    seconds: wallTime(
      open.map((spec) => forecast.of('run', spec, 'seconds')),
      options.concurrency,
    ),
    arms,
    judge,
    from_runs: history.runs,
    done: plan.runs.length - missing.length,
    reused: missing.length - open.length,
  }
}

/** The benchmark in which the same bench would go on; null: none. */
async function newestOfPlan(workspace: string, plan: Plan): Promise<string | null> {
  for (const folder of await listBenchmarks(workspace, collectionOf(plan))) {
    const other = await readPlan(folder).catch(() => null)
    if (other?.plan_id === plan.plan_id) return (await isComplete(folder)) ? null : folder
  }
  return null
}

async function openRuns(plan: Plan, folder: string | null): Promise<RunSpec[]> {
  if (folder === null) return plan.runs
  const open: RunSpec[] = []
  for (const spec of plan.runs) {
    const stored = await readRun(folder, spec.run_id)
    if (stored === null || !isDone(stored, spec)) open.push(spec)
  }
  return open
}

function isJudged({ cases }: Plan, { eval_id }: RunSpec): boolean {
  return cases.some((one) => one.eval_id === eval_id && one.expectations.length > 0)
}

function amountOf(forecast: Forecast, runs: readonly RunSpec[], part: Part): Amount {
  const of = (unit: Unit) => sum(runs.map((spec) => forecast.of(part, spec, unit)))
  return { usd: of('usd'), tokens: of('tokens'), seconds: of('seconds') }
}

/** Null as soon as one is not known. */
function sum(amounts: readonly (number | null)[]): number | null {
  return amounts.reduce((total, one) => (total === null || one === null ? null : total + one), 0)
}

/** Runs side by side, none shorter than its longest. */
function wallTime(seconds: readonly (number | null)[], concurrency: number): number | null {
  const total = sum(seconds)
  return total === null ? null : seconds.reduce<number>((most, one) => Math.max(most, one ?? 0), total / concurrency)
}
