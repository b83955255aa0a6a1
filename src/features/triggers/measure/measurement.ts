/** The steps that the measurements of one skill and of many share: the plan alone, the start, the runs, and reading them. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import type { Plan, RunSpec } from '../../../../schemas/plan.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { type CommandReview, refuseUnauthorized } from '../../../flows/authorize/suite_commands.ts'
import { snapshotSkills } from '../../../flows/bench/bench.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { createStartQueue } from '../../../flows/history/start_order.ts'
import type { LimitedBench } from '../../../flows/limits/limited_bench.ts'
import { checkStart, reviewStart } from '../../../flows/prepare/check_start.ts'
import { attemptStep, type StartRefusal } from '../../../flows/prepare/preflight.ts'
import type { PreparedBench } from '../../../flows/prepare/prepare_bench.ts'
import { type Execution, execute, noRunCache } from '../../../flows/run/execute.ts'
import { listHiddenPaths, withSandbox } from '../../../flows/sandbox/start_sandbox.ts'
import type { BenchmarkLock } from '../../../flows/workspace/benchmark_lock.ts'
import { clearLeftovers } from '../../../flows/workspace/benchmark_lock.ts'
import { findUnfinished, openBenchFolder } from '../../../flows/workspace/open_benchmark.ts'
import { readTranscript } from '../../../store/artefacts/damage.ts'
import { runPaths } from '../../../store/paths.ts'
import { listDoneRuns } from '../../../store/run_folders.ts'
import { readRun } from '../../../store/store.ts'
import type { TriggerRunSource } from '../report/results.ts'
import type { MeasureRequest } from './prepare_triggers.ts'

/** A plan with the commands that its skills would start, and why the real start would be refused for them; null: it would not. */
export type Reviewed<P> = P & { review: CommandReview; refusal: StartRefusal | null }

/** For --dry-run: starts no agent and writes nothing. */
export async function reviewMeasurement<P extends PreparedBench>(
  prepared: P,
  request: MeasureRequest,
  context: FlowContext,
): Promise<Reviewed<P>> {
  const { review } = await reviewStart(prepared, request, context)
  const refusals: StartRefusal[] = []
  await attemptStep(
    (reason) => void refusals.push(reason),
    () => refuseUnauthorized(review, context),
  )
  return { ...prepared, review, refusal: refusals[0] ?? null }
}

/** `folder`: of the measurement. */
export interface StartedMeasurement extends Pick<Execution, 'plan' | 'skillFiles' | 'folder' | 'sandbox'> {
  workspace: string
  wish: Pick<MeasureRequest, 'concurrency' | 'passEnv' | 'limits' | 'pace'>
}

interface MeasurementSteps<P, R> {
  /** Starts and costs nothing. */
  prepare(): Promise<P>
  isComplete(folder: string): boolean
  describe(prepared: P): MeasurementFacts
  run(started: P & StartedMeasurement, context: FlowContext): Promise<R>
}

/** Throws UserError or IncompleteError before any paid call, and the abort reason if interrupted. */
export async function startMeasurement<P extends PreparedBench, R>(
  request: MeasureRequest,
  { prepare, isComplete, describe, run }: MeasurementSteps<P, R>,
  context: FlowContext,
): Promise<R> {
  await clearLeftovers(context)
  await using scratch = await openTempDir()
  const planned = await prepare()
  const { sandbox } = await checkStart(planned, request, { scratch: scratch.path }, context)
  const skillFiles = await snapshotSkills(planned.folders, scratch.path)
  const { folder, lock } = await openMeasurement(planned, { fresh: request.fresh, isComplete }, context)
  await using holding = lock
  const prepared = { ...planned, plan: withSandbox(planned.plan, sandbox) }
  await announceMeasurement(folder, prepared, { facts: describe(prepared), context })
  return await run({ ...prepared, skillFiles, folder, sandbox, wish: request }, holding.context)
}

/** Locks the newest unfinished measurement of the same plan, else a new one. */
async function openMeasurement(
  { plan, workspace }: PreparedBench,
  { fresh, isComplete }: { fresh: boolean; isComplete: (folder: string) => boolean },
  context: FlowContext,
): Promise<{ folder: string; lock: BenchmarkLock }> {
  const of = { workspace, collection: 'triggers', isComplete } as const
  const unfinished = fresh ? null : await findUnfinished(of, { plan }, context)
  const otherwise = ', or start another one with --fresh'
  return await openBenchFolder({ ...of, unfinished, otherwise }, context)
}

interface MeasurementFacts {
  skill_name: string
  /** Names of the skills that compete. */
  among: string[]
  /** By query: whether it should trigger. */
  should: readonly boolean[]
}

/** Forgets runs that a resume repeats, and emits the plan. */
async function announceMeasurement(
  folder: string,
  { plan, choices }: Pick<PreparedBench, 'plan' | 'choices'>,
  { facts, context }: { facts: MeasurementFacts; context: FlowContext },
): Promise<void> {
  await forgetTimeouts(folder, plan)
  const { engine, until } = plan.options
  const { skill_name, among, should } = facts
  context.emit({
    type: 'triggers_planned',
    folder,
    skill_name,
    engine: engine.name,
    model: engine.model,
    queries: plan.cases.map(({ eval_id, eval_name }, index) => ({
      eval_id,
      eval_name,
      should_trigger: should[index] === true,
    })),
    among,
    runs: plan.runs.length,
    ...(until !== undefined && { is_most: true as const }),
    done: (await listDoneRuns(folder, plan.runs)).length,
    choices,
    warnings: plan.warnings,
  })
}

/** A timed-out run gave no answer: a resume repeats it. */
async function forgetTimeouts(folder: string, plan: Plan): Promise<void> {
  for (const { run_id } of plan.runs) {
    const stored = await readRun(folder, run_id)
    if (stored?.record.status !== 'timed_out' || stored.record.skill.read === true) continue
    await rm(path.dirname(runPaths(folder, run_id).record), { recursive: true, force: true })
  }
}

/** Executes the plan's missing runs. Returns whether some did not start; throws the abort reason if interrupted. */
export async function executeQueries(
  { plan, folder, workspace, skillFiles, sandbox, wish }: StartedMeasurement,
  limited: LimitedBench | null,
  context: FlowContext,
): Promise<boolean> {
  const { isHalted } = await execute(
    {
      plan,
      folder,
      skillFiles,
      passEnv: wish.passEnv,
      hidden: listHiddenPaths(plan, workspace),
      sandbox,
      concurrency: wish.concurrency,
      limited,
      pace: wish.pace,
      ...noRunCache,
      ungraded: true,
      queue: createStartQueue(plan.runs, new Map()),
    },
    context,
  )
  context.signal.throwIfAborted()
  return isHalted
}

/** By query, in run number order. */
export async function readQueryRuns(
  folder: string,
  specs: readonly RunSpec[],
): Promise<Map<number, TriggerRunSource[]>> {
  const limit = pLimit(16)
  const all = await Promise.all(
    specs.map((spec) => limit(async () => ({ id: spec.eval_id, made: await readQueryRun(folder, spec) }))),
  )
  const byQuery = new Map<number, TriggerRunSource[]>()
  for (const { id, made } of all) byQuery.set(id, [...(byQuery.get(id) ?? []), made])
  return byQuery
}

async function readQueryRun(folder: string, { run_id, run_number, key }: RunSpec): Promise<TriggerRunSource> {
  const stored = await readRun(folder, run_id)
  // a run of another plan in this folder does not count
  const record = stored?.record.key === key ? stored.record : null
  const transcript = path.join(runPaths(folder, run_id).folder, 'transcript.jsonl')
  const events = record === null ? null : await readTranscript(transcript, record, () => {})
  return { run_id, run_number, record, events: events ?? [] }
}
