/** One benchmark of the loop: two versions on some cases. Made before the loop was interrupted, it is not made again. */

import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import type { StopKind } from '../../../schemas/limits.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { IncompleteError } from '../../base/error.ts'
import { readJson } from '../../base/json.ts'
import { type MetCase, metCases } from '../../phases/4-report/accept/met_case.ts'
import { benchmarkPaths, improvePaths } from '../../store/paths.ts'
import { listBenchmarks, readPlan } from '../../store/store.ts'
import { bench, planBench } from '../bench.ts'
import { collectionOf } from '../calibrations.ts'
import type { FlowContext } from '../context.ts'
import { paidIn } from '../limited.ts'
import { noLimits } from '../limits.ts'
import type { Perform } from '../prepare.ts'
import { counted, nothing } from '../purses.ts'
import { isComplete } from '../summarize.ts'
import { metWith } from './registry.ts'
import type { Session } from './session.ts'

export interface Step {
  candidate: string
  against: string
  cases: readonly number[]
  runs: number
  /** `against` against itself. */
  calibrate?: boolean
  /** Runs that were made before are taken from the cache, and new ones kept: never where something is accepted by them. */
  reuses?: boolean
  perform?: Perform
}

export interface StepEnd {
  /** Relative to the workspace. */
  folder: string
  benchmark: Benchmark
  cases: MetCase[]
}

/** A limit or Ctrl-C ended a benchmark of the loop; what it holds is kept for a resume. */
export class StepStopped extends Error {
  override readonly name = 'StepStopped'
  readonly kind: StopKind | 'interrupted'

  constructor(message: string, kind: StopKind | 'interrupted') {
    super(message)
    this.kind = kind
  }
}

/** Runs of each case that v0 has against itself, in each arm: two are enough for its rate and the noise. */
export function noiseRuns(trainRuns: number): number {
  return Math.min(2, trainRuns)
}

/** Throws StepStopped, or what bench throws. */
export async function benchStep(session: Session, step: Step, context: FlowContext): Promise<StepEnd> {
  const { workspace, request, purses } = session
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
    purses,
    ...(step.perform && { perform: step.perform }),
  }
  const quiet = withoutFolderDoubts(context)
  const { plan } = await planBench(asked, quiet)
  const done = await doneBefore(session, plan)
  const made = done ?? (await benchNow(asked, quiet))
  const relative = path.relative(workspace, made.folder)
  session.met.push(metWith(made.folder, step.candidate, step.against))
  const arms = { candidate: plan.candidate_configuration, baseline: plan.baseline_configuration }
  return { folder: relative, benchmark: made.benchmark, cases: metCases(made.benchmark, arms) }
}

async function benchNow(asked: Parameters<typeof bench>[0], context: FlowContext) {
  const { folder, benchmark } = await bench(asked, context)
  const { stopped } = benchmark.metadata
  if (stopped !== undefined) throw new StepStopped(stopped.reason, stopped.kind)
  if (context.drain.aborted) throw new StepStopped('interrupted', 'interrupted')
  if ((benchmark.counts?.used ?? 0) === 0) {
    const message = benchmark.excluded_runs?.[0]?.message ?? 'no run has a grade'
    throw new IncompleteError(`${folder}: no run can be used: ${message}`, 'mend that; --resume goes on from here')
  }
  return { folder, benchmark }
}

/** A whole benchmark of this plan that this session has made; what it cost counts against the limits. */
async function doneBefore({ workspace, history, purses, request }: Session, plan: Plan) {
  for (const folder of await listBenchmarks(workspace, collectionOf(plan))) {
    const other = await readPlan(folder).catch(() => null)
    if (other === null || other.plan_id !== plan.plan_id || other.created_at < history.started_at) continue
    if (!(await isComplete(folder))) return null
    const benchmark = await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark)
    for (const line of await paidIn(folder)) purses.settle(nothing, counted(line, request.bench.limits ?? noLimits))
    return { folder, benchmark }
  }
  return null
}

/** A version lies in a folder named after it, which is no mistake of the skill. */
function withoutFolderDoubts(context: FlowContext): FlowContext {
  return {
    ...context,
    emit: (event) =>
      context.emit(
        event.type === 'plan_ready'
          ? { ...event, warnings: event.warnings.filter(({ message }) => !message.includes('they should be equal')) }
          : event,
      ),
  }
}
