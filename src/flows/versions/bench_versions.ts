/** Runs one benchmark of versions of a skill, as `improve` and `prune` do. Reuses it if it finished before an interruption. */
import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import type { StopKind } from '../../../schemas/limits.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { IncompleteError } from '../../base/errors/error.ts'
import { assignVersions } from '../../phases/1-plan/plan/plan.ts'
import type { HalvedPair } from '../../phases/5-improve/search/draw_mixes.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { listBenchmarks, readOwnPlan } from '../../store/store.ts'
import { bench, planBench } from '../bench/bench.ts'
import type { FlowContext } from '../flow_context.ts'
import { readBenchmarkSpending } from '../limits/limited_bench.ts'
import { noLimits, type SharedBudgets, toBudgetAmounts } from '../limits/limits.ts'
import type { BenchRequest } from '../prepare/prepare_bench.ts'
import { isBenchmarkComplete } from '../report/benchmark_ending.ts'
import { chooseCollection } from '../report/calibrations.ts'
import { readOwnBenchmark } from '../report/summarize.ts'

/** The settings of every benchmark of a session. */
export type BenchTemplate = Omit<
  BenchRequest,
  | 'skill'
  | 'baseline'
  | 'cases'
  | 'runs'
  | 'until'
  | 'design'
  | 'fresh'
  | 'cache'
  | 'calibrate'
  | 'suiteRoot'
  | 'budgets'
  | 'reshape'
>

export interface VersionsPlace {
  bench: BenchTemplate
  workspace: string
  /** The author's version. */
  skill: Skill
  budgets: SharedBudgets
  /** Benchmarks that were planned before are not reused. */
  since: string
  /** What ends a run early; absent: nothing. */
  stopAt?: RunSpec['stop_at']
}

export interface VersionsStep {
  /** Folders of the versions, absolute. */
  candidate: string
  against: string
  cases: readonly number[]
  /** Most runs per case and configuration. */
  runs: number
  /** The version of a run; null: it is left out. `planned`: the version that its configuration has. */
  choose: (run: RunSpec, planned: Skill | null) => Skill | null
  /** Folders of further versions, by sha256. */
  folders?: ReadonlyMap<string, string>
  /** A search step: its runs are no comparison, and a used-up budget ends it with the runs that there are. */
  isSearch: boolean
  /** In place of the session's; absent: the session's. */
  settings?: { judge?: string | null; engine?: string; model?: null }
}

export interface BenchStepResult {
  /** Relative to the workspace. */
  folder: string
  benchmark: Benchmark
}

export type StopCause = StopKind | 'interrupted' | 'proposer'

/** A limit, Ctrl-C or a failing proposer stopped the loop; its results are kept for a resume. */
export class StepStopped extends Error {
  override readonly name = 'StepStopped'
  readonly kind: StopCause

  constructor(message: string, kind: StopCause) {
    super(message)
    this.kind = kind
  }
}

/** undefined: the run was not drawn. */
export type HalfOf<H> = (run: { eval_id: number; run_number: number; configuration: string }) => H | undefined

/** A step whose runs have the versions of their halves, and the half of a run. `versions`: by half.join(). */
export function planHalves<H extends readonly unknown[]>(
  drawn: readonly HalvedPair<H>[],
  versions: ReadonlyMap<string, Skill>,
) {
  const byRun = new Map(drawn.map((pair) => [`${pair.evalId} ${pair.number}`, pair]))
  const halfOf: HalfOf<H> = (run) =>
    byRun.get(`${run.eval_id} ${run.run_number}`)?.halves[run.configuration === 'new_skill' ? 0 : 1]
  const step = {
    isSearch: true,
    cases: [...new Set(drawn.map(({ evalId }) => evalId))],
    runs: Math.max(1, ...drawn.map(({ number }) => number)),
    folders: new Map([...versions.values()].map((one) => [one.sha256, one.path])),
    choose: (run: RunSpec) => {
      const half = halfOf(run)
      return half === undefined ? null : (versions.get(half.join()) ?? null)
    },
  }
  return { step, halfOf }
}

/** Throws StepStopped, or what bench throws. */
export async function benchVersions(
  place: VersionsPlace,
  step: VersionsStep,
  context: FlowContext,
): Promise<BenchStepResult> {
  const { workspace, budgets } = place
  const asked = { ...createStepRequest(place, step), budgets }
  const quiet = showStepEvents(context, step)
  const { plan } = await planBench(asked, quiet)
  const done = await findFinishedBench(place, plan, quiet)
  const made = done ?? (await runStepBench(asked, step, quiet))
  return { folder: path.relative(workspace, made.folder), benchmark: made.benchmark }
}

function createStepRequest(
  { bench: template, workspace, skill, stopAt }: Omit<VersionsPlace, 'budgets' | 'since'>,
  step: VersionsStep,
) {
  return {
    ...template,
    skill: step.candidate,
    baseline: step.against,
    suite: template.suite ?? skill.path,
    suiteRoot: skill.path,
    cases: step.cases.map(String),
    runs: step.runs,
    workspace,
    cache: false,
    fresh: false,
    checked: true,
    reshape: (plan: Plan) => ({
      plan: reshapePlan(plan, step, stopAt),
      folders: step.folders ?? new Map<string, string>(),
    }),
    ...step.settings,
  }
}

function reshapePlan(plan: Plan, { choose, isSearch }: VersionsStep, stopAt: VersionsPlace['stopAt']): Plan {
  const made = assignVersions(plan, (run) => choose(run, run.skill), stopAt)
  return isSearch ? { ...made, search: true } : made
}

async function runStepBench(asked: Parameters<typeof bench>[0], step: VersionsStep, context: FlowContext) {
  const { folder, benchmark } = await bench(asked, context)
  const { stopped } = benchmark.metadata
  const isOutOfBudget = stopped?.kind === 'budget' || stopped?.kind === 'budget_tokens'
  if (stopped !== undefined && !(step.isSearch && isOutOfBudget)) throw new StepStopped(stopped.reason, stopped.kind)
  if (context.drain.aborted) throw new StepStopped('interrupted', 'interrupted')
  if ((benchmark.counts?.used ?? 0) === 0 && !isOutOfBudget) {
    const message = benchmark.excluded_runs?.[0]?.message ?? 'no run has a grade'
    throw new IncompleteError(`${folder}: no usable run: ${message}`, 'fix that, then continue with --resume')
  }
  return { folder, benchmark }
}

/** A complete benchmark of this plan in this session; its cost counts against the limits. */
async function findFinishedBench(
  { workspace, since, budgets, bench: { limits = noLimits } }: VersionsPlace,
  plan: Plan,
  context: FlowContext,
) {
  for (const folder of await listBenchmarks(workspace, chooseCollection(plan))) {
    const other = await readOwnPlan(folder, findSigner(context.env))
    if (other === null || other.plan_id !== plan.plan_id || other.created_at < since) continue
    if (!(await isBenchmarkComplete(folder))) return null
    const benchmark = await readOwnBenchmark(folder, context)
    if (benchmark === null) return null
    for (const line of await readBenchmarkSpending(folder)) budgets.spend(toBudgetAmounts(line, limits))
    return { folder, benchmark }
  }
  return null
}

/** Hides what the session has said already. A search step has no configurations to compare: all its runs are shown as one. */
function showStepEvents(context: FlowContext, { isSearch }: VersionsStep): FlowContext {
  const emit: FlowContext['emit'] = (event) => {
    if (event.type === 'suite_commands') return
    if (event.type === 'plan_ready') return context.emit(isSearch ? joinArms(showPlan(event)) : showPlan(event))
    context.emit(isSearch && 'configuration' in event ? { ...event, configuration: searchArm } : event)
  }
  return { ...context, emit }
}

type PlanReady = Extract<FlowEvent, { type: 'plan_ready' }>

/** A version's folder name differs from the skill's, and the session has its own words for what its runs can show. */
function showPlan({ detectable: _, warnings, ...event }: PlanReady): PlanReady {
  return {
    ...event,
    choices: [],
    warnings: warnings.filter(({ message }) => !message.includes('they should be equal')),
  }
}

const searchArm = 'search'

function joinArms({ planned_by_case, done_by_case, ...event }: PlanReady): PlanReady {
  const planned = planned_by_case ?? event.cases.map(({ eval_id }) => ({ eval_id, runs: 2 * event.runs_per_case }))
  return {
    ...event,
    ...{ candidate: searchArm, baseline: searchArm },
    planned_by_case: sumByCase(planned),
    ...(done_by_case && { done_by_case: sumByCase(done_by_case) }),
  }
}

function sumByCase(counts: readonly { eval_id: number; runs: number }[]) {
  const ids = [...new Set(counts.map(({ eval_id }) => eval_id))]
  return ids.map((id) => {
    const runs = counts.filter(({ eval_id }) => eval_id === id).reduce((sum, one) => sum + one.runs, 0)
    return { eval_id: id, configuration: searchArm, runs }
  })
}
