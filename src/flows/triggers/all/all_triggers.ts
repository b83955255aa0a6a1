/** triggers --all: asks the queries of every skill of a folder with all of them installed: which is read, and who takes whose queries. */
import type { Plan } from '../../../../schemas/plan.ts'
import type { TriggerMatrix } from '../../../../schemas/trigger_matrix.ts'
import { triggerMatrix, triggerMatrix as triggerMatrixSchema } from '../../../../schemas/trigger_matrix.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import { buildMatrix } from '../../../phases/4-report/triggers/all/build_matrix.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { listDoneRuns } from '../../../store/is_run_done.ts'
import { benchmarkPaths } from '../../../store/paths.ts'
import { listBenchmarks, writeArtefact } from '../../../store/store.ts'
import {
  type CommandReview,
  refuseUnauthorized,
  resolveConfinement,
  reviewPlan,
} from '../../authorize/suite_commands.ts'
import { snapshotSkills } from '../../bench/bench.ts'
import type { FlowContext } from '../../flow_context.ts'
import { reportUnsetVariables } from '../../prepare/host_environment.ts'
import { attemptStep, type StartRefusal } from '../../prepare/refusals.ts'
import { startSandbox, withSandbox } from '../../sandbox/start_sandbox.ts'
import type { BenchmarkLock } from '../../workspace/benchmark_lock.ts'
import { clearLeftovers } from '../../workspace/clear_leftovers.ts'
import { findUnfinished, openBenchFolder } from '../../workspace/open_benchmark.ts'
import { forgetTimeouts, preflightTriggers } from '../triggers.ts'
import { askInRounds, type RoundsResult } from './ask_in_rounds.ts'
import { type AllTriggersRequest, type PreparedAllTriggers, prepareAllTriggers } from './prepare_all_triggers.ts'

export interface AllTriggersResult {
  /** The measurement's folder, absolute. */
  folder: string
  /** trigger_matrix.json, absolute. */
  file: string
  matrix: TriggerMatrix
}

/** Throws UserError or IncompleteError before any paid call, and the abort reason if interrupted. */
export async function measureAllTriggers(
  request: AllTriggersRequest,
  context: FlowContext,
): Promise<AllTriggersResult> {
  await clearLeftovers(context)
  await using scratch = await openTempDir()
  const planned = await prepareAllTriggers(request, context, false)
  const sandbox = await preflightTriggers(request, { prepared: planned, scratch: scratch.path }, context)
  const skillFiles = await snapshotSkills(planned.folders, scratch.path)
  const { folder, lock } = await openMeasurement(planned, request.fresh, context)
  await using holding = lock
  const prepared = { ...planned, plan: withSandbox(planned.plan, sandbox) }
  await forgetTimeouts(folder, prepared.plan)
  context.emit(await buildPlannedEvent(folder, prepared))
  const rounds = await askInRounds({ prepared, skillFiles, folder, sandbox, wish: request }, holding.context)
  return await writeMatrix(folder, { prepared, rounds }, holding.context)
}

async function writeMatrix(
  folder: string,
  { prepared, rounds }: { prepared: PreparedAllTriggers; rounds: RoundsResult },
  context: FlowContext,
): Promise<AllTriggersResult> {
  const createdAt = context.now().toISOString()
  const built = buildMatrix({ ...prepared, ...rounds, createdAt })
  const matrix = getRedactor(context.env).value(built)
  const file = benchmarkPaths(folder).triggerMatrix
  await writeArtefact(triggerMatrixSchema, file, matrix)
  return { folder, file, matrix }
}

/** A plan, what it may cost, and why the real start would be refused; null: it would not. */
export interface ReviewedAllTriggers extends PreparedAllTriggers {
  review: CommandReview
  refusal: StartRefusal | null
  /** Mean dollars of a run, from earlier measurements or --cost-per-run; null: not known. */
  costPerRun: number | null
}

/** The plan alone, for --dry-run: starts no agent and writes nothing. */
export async function planAllTriggersOnly(
  request: AllTriggersRequest,
  context: FlowContext,
): Promise<ReviewedAllTriggers> {
  const prepared = await prepareAllTriggers(request, context, true)
  const sandbox = await startSandbox(request.sandbox, prepared, context)
  reportUnsetVariables(request, prepared, context)
  const review = await reviewPlan(prepared.plan, prepared.folders, resolveConfinement(sandbox, request.sandbox))
  const refusals: StartRefusal[] = []
  await attemptStep(
    (reason) => void refusals.push(reason),
    () => refuseUnauthorized(review, context),
  )
  const costPerRun = (await readRunCost(prepared.workspace, prepared.plan)) ?? request.limits.costPerRun
  return { ...prepared, review, refusal: refusals[0] ?? null, costPerRun }
}

/** Locks the newest unfinished measurement of the same plan, else a new one. */
async function openMeasurement(
  { plan, workspace }: PreparedAllTriggers,
  fresh: boolean,
  context: FlowContext,
): Promise<{ folder: string; lock: BenchmarkLock }> {
  const of = { workspace, collection: 'triggers', isComplete } as const
  const unfinished = fresh ? null : await findUnfinished(of, { plan }, context)
  const otherwise = ', or start another one with --fresh'
  return await openBenchFolder({ ...of, unfinished, otherwise }, context)
}

function isComplete(folder: string): boolean {
  return tryReadArtefact(triggerMatrixSchema, benchmarkPaths(folder).triggerMatrix)?.complete === true
}

async function buildPlannedEvent(folder: string, { plan, name, skills, queries, choices }: PreparedAllTriggers) {
  const done = (await listDoneRuns(folder, plan.runs)).length
  const { engine, until } = plan.options
  return {
    type: 'triggers_planned' as const,
    folder,
    skill_name: `${skills.length} skills of ${name}`,
    engine: engine.name,
    model: engine.model,
    queries: plan.cases.map(({ eval_id, eval_name }, index) => ({
      eval_id,
      eval_name,
      should_trigger: (queries[index]?.owners.length ?? 0) > 0,
    })),
    among: [],
    runs: plan.runs.length,
    ...(until !== undefined && { is_most: true as const }),
    done,
    choices,
    warnings: plan.warnings,
  }
}

/** Mean dollars over the newest measurement of many skills on this engine and model; null: none with known costs. */
async function readRunCost(workspace: string, { options: { engine } }: Plan): Promise<number | null> {
  for (const folder of await listBenchmarks(workspace, 'triggers')) {
    const other = tryReadArtefact(triggerMatrix, benchmarkPaths(folder).triggerMatrix)
    if (other === null || other.engine.name !== engine.name || other.engine.model !== engine.model) continue
    const known = other.runs.flatMap(({ cost }) => (cost === null ? [] : [cost.usd]))
    if (known.length > 0) return known.reduce((sum, one) => sum + one, 0) / known.length
  }
  return null
}
