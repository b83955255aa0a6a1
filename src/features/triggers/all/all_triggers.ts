/** triggers --all: asks the queries of every skill of a folder with all of them installed: which is read, and who takes whose queries. */
import pLimit from 'p-limit'
import type { Stop } from '../../../../schemas/limits.ts'
import type { Plan, RunSpec } from '../../../../schemas/plan.ts'
import type { TriggerMatrix } from '../../../../schemas/trigger_matrix.ts'
import { triggerMatrix, triggerMatrix as triggerMatrixSchema } from '../../../../schemas/trigger_matrix.ts'
import type { WalkedFile } from '../../../base/fs/files.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import type { SandboxChoice } from '../../../base/sandbox/choose.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import {
  type CommandReview,
  refuseUnauthorized,
  resolveConfinement,
  reviewPlan,
} from '../../../flows/authorize/suite_commands.ts'
import { snapshotSkills } from '../../../flows/bench/bench.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { createStartQueue } from '../../../flows/history/start_order.ts'
import { openLimitedBench, queueInPairs, resolveSharedLimits } from '../../../flows/limits/limited_bench.ts'
import { checkStart, reportUnsetVariables } from '../../../flows/prepare/check_start.ts'
import { attemptStep, type StartRefusal } from '../../../flows/prepare/refusals.ts'
import { execute, noRunCache } from '../../../flows/run/execute.ts'
import { listHiddenPaths, startSandbox, withSandbox } from '../../../flows/sandbox/start_sandbox.ts'
import type { BenchmarkLock } from '../../../flows/workspace/benchmark_lock.ts'
import { clearLeftovers } from '../../../flows/workspace/clear_leftovers.ts'
import { findUnfinished, openBenchFolder } from '../../../flows/workspace/open_benchmark.ts'
import { repairBenchmark } from '../../../flows/workspace/repair_benchmark.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { listDoneRuns } from '../../../store/is_run_done.ts'
import { benchmarkPaths } from '../../../store/paths.ts'
import { findSigner } from '../../../store/signing/signer.ts'
import { listBenchmarks, writeArtefact, writePlan } from '../../../store/store.ts'
import { readQueryRun } from '../measure/ask_queries.ts'
import { forgetTimeouts } from '../measure/triggers.ts'
import type { TriggerRunSource } from '../report/results.ts'
import { buildMatrix, toMatrixRun } from './build_matrix.ts'
import { type AllTriggersRequest, type PreparedAllTriggers, prepareAllTriggers } from './prepare_all_triggers.ts'
import { countQuery, findOpenQueries } from './theft_rule.ts'

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
  const { sandbox } = await checkStart(planned, request, { scratch: scratch.path }, context)
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

interface RoundsRequest {
  prepared: PreparedAllTriggers
  /** Files of each skill by its sha256. */
  skillFiles: ReadonlyMap<string, readonly WalkedFile[]>
  /** The folder of the measurement, absolute. */
  folder: string
  sandbox: SandboxChoice
  wish: Pick<AllTriggersRequest, 'until' | 'concurrency' | 'passEnv' | 'limits' | 'budgets' | 'pace'>
}

interface RoundsResult {
  /** Of the runs that were due, by query_id, in order of run number. */
  runs: Map<number, TriggerRunSource[]>
  stop: Stop | null
}

/**
 * What is due depends only on the runs on disk, so a resume goes on with the same rounds. plan.json has the runs that were due. Throws the
 * abort reason if interrupted; completed runs are kept.
 */
async function askInRounds(request: RoundsRequest, context: FlowContext): Promise<RoundsResult> {
  const { prepared, folder, wish, sandbox, skillFiles } = request
  const { plan, workspace } = prepared
  await repairBenchmark(folder, plan, context)
  using limited = await openLimitedBench({ plan, folder, workspace, ...resolveSharedLimits(wish) }, context)
  const runs = new Map<number, TriggerRunSource[]>()
  const asked: RunSpec[] = []
  for (let round = 1; round <= plan.options.runs; round += 1) {
    const due = selectDue(plan, round, { runs, request })
    if (due.length === 0) break
    asked.push(...due)
    await writePlan(folder, { ...plan, runs: asked }, findSigner(context.env))
    context.emit({ type: 'trigger_round', round, runs: due.length })
    const block = { ...plan, runs: due }
    const { isHalted } = await execute(
      {
        plan: block,
        folder,
        skillFiles,
        passEnv: wish.passEnv,
        hidden: listHiddenPaths(block, workspace),
        sandbox,
        concurrency: wish.concurrency,
        limited: limited && { ...limited, queue: queueInPairs(due) },
        pace: wish.pace,
        ...noRunCache,
        ungraded: true,
        queue: createStartQueue(due, new Map()),
      },
      context,
    )
    context.signal.throwIfAborted()
    const answers = await addRuns(folder, due, { runs, prepared })
    if (isHalted || context.drain.aborted || answers === 0) break
  }
  return { runs, stop: limited?.stopped() ?? null }
}

function selectDue(
  plan: Plan,
  round: number,
  { runs, request }: { runs: RoundsResult['runs']; request: RoundsRequest },
): RunSpec[] {
  const inRound = plan.runs.filter(({ run_number }) => run_number === round)
  if (round === 1 || request.wish.until === 'all') return inRound
  const { queries, skills } = request.prepared
  const counted = queries.map((query) =>
    countQuery(
      query,
      (runs.get(query.query_id) ?? []).map((one) => toMatrixRun(one, query)),
    ),
  )
  const open = findOpenQueries(
    counted,
    skills.map(({ name }) => name),
  )
  return inRound.filter(({ eval_id }) => open.has(eval_id))
}

/** Returns how many have an answer. */
async function addRuns(
  folder: string,
  due: readonly RunSpec[],
  { runs, prepared }: { runs: RoundsResult['runs']; prepared: PreparedAllTriggers },
): Promise<number> {
  const limit = pLimit(16)
  const read = await Promise.all(
    due.map((spec) => limit(async () => ({ spec, made: await readQueryRun(folder, spec) }))),
  )
  const owners = new Map(prepared.queries.map((one) => [one.query_id, one.owners]))
  let answers = 0
  for (const { spec, made } of read) {
    const id = spec.eval_id
    runs.set(id, [...(runs.get(id) ?? []), made])
    const { outcome } = toMatrixRun(made, { query_id: id, owners: owners.get(id) ?? [] })
    if (outcome === 'answered') answers += 1
  }
  return answers
}
