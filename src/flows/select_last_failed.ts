/** --last-failed: the cases of the newest benchmark of which a run has no grade, or one with the skill did not pass everything that counts. */
import path from 'node:path'
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import type { SuiteCase } from '../../schemas/suite.ts'
import { loadSuite } from '../phases/1-plan/load.ts'
import { selectCases } from '../phases/1-plan/select.ts'
import { readRun, type StoredRun } from '../store/store.ts'
import { bench } from './bench.ts'
import type { FlowContext } from './context.ts'
import { newestBenchmark } from './newest.ts'
import { type Planned, planWithEstimate } from './plan_with_estimate.ts'
import { type BenchRequest, skillFolder } from './prepare.ts'
import { readResults } from './results.ts'
import { type BenchResult, summarize } from './summarize.ts'
import { releasedRuns } from './until.ts'

export interface LastFailed {
  /** The newest benchmark, absolute. */
  benchmark: string
  plan: Plan
  cases: { eval_id: number; eval_name: string; reason: string }[]
}

/** Which cases they are, said as an event too. Throws UserError when the workspace holds no benchmark. */
export async function selectLastFailed(request: BenchRequest, context: FlowContext): Promise<LastFailed> {
  const { folder: benchmark, plan } = await newestBenchmark(request, '--last-failed')
  const wanted = await present(request)
  const cases = (await lastFailed(benchmark, released(benchmark, plan, context))).filter(({ eval_id }) =>
    wanted.has(eval_id),
  )
  context.emit({ type: 'last_failed', benchmark, cases })
  return { benchmark, plan, cases }
}

/** The plan for those cases, for --dry-run; null: there is none. */
export async function planLastFailed(request: BenchRequest, context: FlowContext): Promise<Planned | null> {
  const { cases } = await selectLastFailed(request, context)
  if (cases.length === 0) return null
  return planWithEstimate({ ...request, cases: cases.map(({ eval_id }) => String(eval_id)) }, context)
}

/** Benches those cases in a benchmark of their own; where there is none, the result is that of the newest benchmark. */
export async function lastFailedOrNewest(request: BenchRequest, context: FlowContext): Promise<BenchResult> {
  const { benchmark, plan, cases } = await selectLastFailed(request, context)
  if (cases.length === 0) return summarize(benchmark, plan, context)
  return bench({ ...request, cases: cases.map(({ eval_id }) => String(eval_id)) }, context)
}

/** The ids of the suite as it is now, only those that --case names. */
async function present(request: BenchRequest): Promise<ReadonlySet<number>> {
  const folder = await skillFolder(path.resolve(request.skill))
  const suite = await loadSuite(request.suite ?? folder, folder)
  return new Set(selectCases(suite, request.cases).cases.map(({ eval_id }) => eval_id))
}

/** The plan with the runs that were asked for: of --until decided those that a look has released. */
function released(folder: string, plan: Plan, context: FlowContext): Plan {
  if (plan.options.until === undefined) return plan
  return { ...plan, runs: releasedRuns(plan, readResults({ folder, plan }, context)) }
}

async function lastFailed(folder: string, plan: Plan): Promise<LastFailed['cases']> {
  const found: LastFailed['cases'] = []
  for (const one of plan.cases) {
    const reasons = new Set<string>()
    for (const spec of plan.runs.filter((run) => run.eval_id === one.eval_id)) {
      const reason = reasonOf(one, { plan, spec }, await readRun(folder, spec.run_id))
      if (reason !== null) reasons.add(reason)
    }
    const { eval_id, eval_name } = one
    if (reasons.size > 0) found.push({ eval_id, eval_name, reason: [...reasons].sort().join(', ') })
  }
  return found
}

/** What a run lacks; null: nothing. That the baseline passes less is what a skill is for, and so is an indicator that it can't meet. */
function reasonOf(
  one: SuiteCase,
  { plan, spec }: { plan: Plan; spec: RunSpec },
  stored: StoredRun | null,
): string | null {
  if (stored === null || stored.record.key !== spec.key) return 'a run is missing'
  const { record, grading } = stored
  const isCandidate = spec.configuration === plan.candidate_configuration
  const isBroken = record.status === 'failed' || record.status === 'cancelled'
  if (isBroken || (isCandidate && record.status !== 'completed')) return `a run ${record.status.replaceAll('_', ' ')}`
  if (one.expectations.length + one.checks.length === 0) return null
  if (record.status !== 'completed') return null
  if (grading === null || (grading.judge_errors ?? []).length > 0) return 'a run is not wholly graded'
  const isMissed = grading.expectations.some(({ passed, indicator }) => !passed && indicator !== true)
  return isCandidate && isMissed ? 'a run did not pass everything' : null
}
