/** --last-failed: the cases of the newest benchmark of which a run failed, has no grade or did not pass everything. */
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import type { SuiteCase } from '../../schemas/suite.ts'
import { loadSuite } from '../phases/1-plan/load.ts'
import { selectCases } from '../phases/1-plan/select.ts'
import { readRun, type StoredRun } from '../store/store.ts'
import { bench } from './bench.ts'
import type { FlowContext } from './context.ts'
import { newestBenchmark } from './newest.ts'
import { type Planned, planWithEstimate } from './plan_with_estimate.ts'
import type { BenchRequest } from './prepare.ts'
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
  const wanted = await present(request, plan)
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
async function present(request: BenchRequest, plan: Plan): Promise<ReadonlySet<number>> {
  const suite = await loadSuite(request.suite ?? plan.skill.path, plan.skill.path)
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
      const reason = reasonOf(one, spec, await readRun(folder, spec.run_id))
      if (reason !== null) reasons.add(reason)
    }
    const { eval_id, eval_name } = one
    if (reasons.size > 0) found.push({ eval_id, eval_name, reason: [...reasons].sort().join(', ') })
  }
  return found
}

/** What a run lacks; null: it passed everything. */
function reasonOf(one: SuiteCase, spec: RunSpec, stored: StoredRun | null): string | null {
  if (stored === null || stored.record.key !== spec.key) return 'a run is missing'
  const { record, grading } = stored
  if (record.status !== 'completed') return `a run ${record.status.replaceAll('_', ' ')}`
  if (one.expectations.length + one.checks.length === 0) return null
  if (grading === null || (grading.judge_errors ?? []).length > 0) return 'a run is not wholly graded'
  return grading.summary.passed < grading.summary.total ? 'a run did not pass everything' : null
}
