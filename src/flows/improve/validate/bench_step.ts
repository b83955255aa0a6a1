/** Runs one benchmark of the loop: two versions on some cases. Reuses it if it finished before an interruption. */
import path from 'node:path'
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { benchmark as benchmarkSchema } from '../../../../schemas/benchmark.ts'
import type { StopKind } from '../../../../schemas/limits.ts'
import type { Plan } from '../../../../schemas/plan.ts'
import { IncompleteError } from '../../../base/errors/error.ts'
import { readJson } from '../../../base/json/json.ts'
import { type PairedCase, pairCases } from '../../../phases/4-report/acceptance/compared_case.ts'
import { benchmarkPaths, improvePaths } from '../../../store/paths.ts'
import { listBenchmarks, readPlan } from '../../../store/store.ts'
import { bench, planBench } from '../../bench/bench.ts'
import type { FlowContext } from '../../flow_context.ts'
import { toBudgetAmounts, zeroAmounts } from '../../limits/budgets.ts'
import { readBenchmarkSpending } from '../../limits/limited_bench.ts'
import { noLimits } from '../../limits/limits.ts'
import { isBenchmarkComplete } from '../../report/benchmark_ending.ts'
import { chooseCollection } from '../../report/calibrations.ts'
import type { ExecutePlan } from '../../run/execute.ts'
import type { ImproveSession } from '../session/session.ts'
import { pairVersions } from '../session/version_benchmarks.ts'

export interface ImproveBenchStep {
  candidate: string
  against: string
  cases: readonly number[]
  runs: number
  /** Compare `against` with itself. */
  calibrate?: boolean
  /** Read and store runs in the cache: never where the result accepts a version. */
  reuses?: boolean
  perform?: ExecutePlan
}

export interface BenchStepResult {
  /** Relative to the workspace. */
  folder: string
  benchmark: Benchmark
  cases: PairedCase[]
}

/** A limit or Ctrl-C stopped a benchmark of the loop; its results are kept for a resume. */
export class StepStopped extends Error {
  override readonly name = 'StepStopped'
  readonly kind: StopKind | 'interrupted'

  constructor(message: string, kind: StopKind | 'interrupted') {
    super(message)
    this.kind = kind
  }
}

/** Runs per case and configuration of v0 against itself: two are enough for its rate and the noise. */
export function countNoiseRuns(trainRuns: number): number {
  return Math.min(2, trainRuns)
}

/** Throws StepStopped, or what bench throws. */
export async function runBenchStep(
  session: ImproveSession,
  step: ImproveBenchStep,
  context: FlowContext,
): Promise<BenchStepResult> {
  const { workspace, request, budgets } = session
  const { version } = improvePaths(workspace)
  const asked = {
    ...request.bench,
    skill: version(step.candidate),
    baseline: version(step.against),
    suite: request.bench.suite ?? session.skill.path,
    suiteRoot: session.skill.path,
    cases: step.cases.map(String),
    runs: step.runs,
    workspace,
    cache: step.reuses ?? false,
    fresh: false,
    calibrate: step.calibrate ?? false,
    budgets,
    checked: true,
    ...(step.perform && { perform: step.perform }),
  }
  const quiet = withoutKnownWarnings(context)
  const { plan } = await planBench(asked, quiet)
  const done = await findFinishedBench(session, plan)
  const made = done ?? (await runStepBench(asked, quiet))
  const relative = path.relative(workspace, made.folder)
  session.met.push(pairVersions(made.folder, step.candidate, step.against))
  const arms = { candidate: plan.candidate_configuration, baseline: plan.baseline_configuration }
  return { folder: relative, benchmark: made.benchmark, cases: pairCases(made.benchmark, arms) }
}

async function runStepBench(asked: Parameters<typeof bench>[0], context: FlowContext) {
  const { folder, benchmark } = await bench(asked, context)
  const { stopped } = benchmark.metadata
  if (stopped !== undefined) throw new StepStopped(stopped.reason, stopped.kind)
  if (context.drain.aborted) throw new StepStopped('interrupted', 'interrupted')
  if ((benchmark.counts?.used ?? 0) === 0) {
    const message = benchmark.excluded_runs?.[0]?.message ?? 'no run has a grade'
    throw new IncompleteError(`${folder}: no usable run: ${message}`, 'fix that, then continue with --resume')
  }
  return { folder, benchmark }
}

/** A complete benchmark of this plan in this session; its cost counts against the limits. */
async function findFinishedBench({ workspace, history, budgets, request }: ImproveSession, plan: Plan) {
  for (const folder of await listBenchmarks(workspace, chooseCollection(plan))) {
    const other = await readPlan(folder).catch(() => null)
    if (other === null || other.plan_id !== plan.plan_id || other.created_at < history.started_at) continue
    if (!(await isBenchmarkComplete(folder))) return null
    const benchmark = await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark)
    for (const line of await readBenchmarkSpending(folder))
      budgets.settle(zeroAmounts, toBudgetAmounts(line, request.bench.limits ?? noLimits))
    return { folder, benchmark }
  }
  return null
}

/** Hides two known warnings: a version's folder name differs from the skill's, and the suite's commands are already listed. */
function withoutKnownWarnings(context: FlowContext): FlowContext {
  return {
    ...context,
    emit: (event) => {
      if (event.type === 'suite_commands') return
      context.emit(
        event.type === 'plan_ready'
          ? { ...event, warnings: event.warnings.filter(({ message }) => !message.includes('they should be equal')) }
          : event,
      )
    },
  }
}
