/** --last-failed: selects cases of the newest benchmark with an ungraded run, or a with-skill run that did not pass all that counts. */
import path from 'node:path'
import { keepRated } from '../../../schemas/pass_rate.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { inspectSuite } from '../../phases/1-plan/suite/load_suite.ts'
import { selectCases } from '../../phases/1-plan/suite/select_cases.ts'
import { isOwnGrading, isOwnRun } from '../../store/signing/own_runs.ts'
import { findSigner, type ResultSigner } from '../../store/signing/signer.ts'
import { readRun, type StoredRun } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { type BenchRequest, resolveSkillFolder } from '../prepare/prepare_bench.ts'
import { readResults } from '../report/benchmark_ending.ts'
import { selectReleasedRuns } from '../report/interim_analyses.ts'
import { type BenchResult, summarizeBenchmark } from '../report/summarize.ts'
import { findNewestBenchmark } from '../workspace/newest_benchmark.ts'
import { bench } from './bench.ts'
import { type EstimatedPlan, planWithEstimate } from './plan_with_estimate.ts'

export interface LastFailedCases {
  /** The newest benchmark, absolute. */
  benchmark: string
  plan: Plan
  cases: { eval_id: number; eval_name: string; reason: string }[]
}

/** Returns the failed cases and reports them as an event. Throws UserError when the workspace has no benchmark. */
export async function selectLastFailed(request: BenchRequest, context: FlowContext): Promise<LastFailedCases> {
  const { folder: benchmark, plan } = await findNewestBenchmark(request, '--last-failed', context)
  const wanted = await readPresentIds(request)
  const cases = (
    await listFailedCases(benchmark, keepReleasedRuns(benchmark, plan, context), findSigner(context.env))
  ).filter(({ eval_id }) => wanted.has(eval_id))
  context.emit({ type: 'last_failed', benchmark, cases })
  return { benchmark, plan, cases }
}

/** The plan for those cases, for --dry-run; null: there are none. */
export async function planLastFailed(request: BenchRequest, context: FlowContext): Promise<EstimatedPlan | null> {
  const { cases } = await selectLastFailed(request, context)
  if (cases.length === 0) return null
  return planWithEstimate({ ...request, cases: cases.map(({ eval_id }) => String(eval_id)) }, context)
}

/** Runs those cases in a separate benchmark; if there are none, returns the newest benchmark's result. */
export async function benchLastFailed(request: BenchRequest, context: FlowContext): Promise<BenchResult> {
  const { benchmark, plan, cases } = await selectLastFailed(request, context)
  if (cases.length === 0) return summarizeBenchmark(benchmark, plan, context)
  return bench({ ...request, cases: cases.map(({ eval_id }) => String(eval_id)) }, context)
}

/** The ids in the current suite that --case selects. */
async function readPresentIds(request: BenchRequest): Promise<ReadonlySet<number>> {
  const folder = await resolveSkillFolder(path.resolve(request.skill))
  const { suite } = await inspectSuite(request.suite ?? folder, folder)
  return new Set(selectCases(suite, request.cases).cases.map(({ eval_id }) => eval_id))
}

/** The plan with only the requested runs: for --until decided, those that an interim analysis released. */
function keepReleasedRuns(folder: string, plan: Plan, context: FlowContext): Plan {
  if (plan.options.until === undefined) return plan
  return { ...plan, runs: selectReleasedRuns(plan, readResults(folder, plan, context)) }
}

async function listFailedCases(folder: string, plan: Plan, signer: ResultSigner): Promise<LastFailedCases['cases']> {
  const found: LastFailedCases['cases'] = []
  for (const one of plan.cases.filter(({ quarantine }) => quarantine === undefined)) {
    const reasons = new Set<string>()
    for (const spec of plan.runs.filter((run) => run.eval_id === one.eval_id)) {
      const { run_id } = spec
      const read = isOwnRun(folder, run_id, signer) ? await readRun(folder, run_id) : null
      const stored = read && { ...read, grading: isOwnGrading(folder, run_id, signer) ? read.grading : null }
      const reason = explainFailedCase(one, { plan, spec }, stored)
      if (reason !== null) reasons.add(reason)
    }
    const { eval_id, eval_name } = one
    if (reasons.size > 0) found.push({ eval_id, eval_name, reason: [...reasons].sort().join(', ') })
  }
  return found
}

/** Why a run counts as failed; null: it does not. A weaker baseline is expected, and so is a usage-only expectation that it can't pass. */
function explainFailedCase(
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
  const isMissed = keepRated(grading.expectations).some(({ passed, indicator }) => !passed && indicator !== true)
  return isCandidate && isMissed ? 'a run did not pass everything' : null
}
