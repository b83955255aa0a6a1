/** triggers: tests whether the description makes the agent use the skill. Runs each query N times and checks which skills were read. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Plan } from '../../../../schemas/plan.ts'
import { type Triggers, triggers as triggersSchema } from '../../../../schemas/triggers.ts'
import { openTempDir } from '../../../base/fs/temp_dir.ts'
import { type CommandReview, refuseUnauthorized } from '../../../flows/authorize/suite_commands.ts'
import { snapshotSkills } from '../../../flows/bench/bench.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { checkStart, reviewStart } from '../../../flows/prepare/check_start.ts'
import { attemptStep, type StartRefusal } from '../../../flows/prepare/refusals.ts'
import { withSandbox } from '../../../flows/sandbox/start_sandbox.ts'
import type { BenchmarkLock } from '../../../flows/workspace/benchmark_lock.ts'
import { clearLeftovers } from '../../../flows/workspace/clear_leftovers.ts'
import { findUnfinished, openBenchFolder } from '../../../flows/workspace/open_benchmark.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { listDoneRuns } from '../../../store/is_run_done.ts'
import { benchmarkPaths, runPaths } from '../../../store/paths.ts'
import { readRun } from '../../../store/store.ts'
import { askQueries, toAskedQueries } from './ask_queries.ts'
import { type PreparedTriggers, prepareTriggers, type TriggersRequest } from './prepare_triggers.ts'

export interface TriggersResult {
  /** The measurement's folder, absolute. */
  folder: string
  /** triggers.json, absolute. */
  file: string
  triggers: Triggers
}

/** Throws UserError or IncompleteError before any paid call, and the abort reason if interrupted. */
export async function measureTriggers(request: TriggersRequest, context: FlowContext): Promise<TriggersResult> {
  await clearLeftovers(context)
  await using scratch = await openTempDir()
  const prepared = await prepareTriggers(request, context, false)
  const { sandbox } = await checkStart(prepared, request, { scratch: scratch.path }, context)
  const skillFiles = await snapshotSkills(prepared.folders, scratch.path)
  const { folder, lock } = await openMeasurement(prepared, request.fresh, context)
  await using holding = lock
  const plan = withSandbox(prepared.plan, sandbox)
  const { set, workspace } = prepared
  await forgetTimeouts(folder, plan)
  context.emit(await buildPlanReadyEvent(folder, { ...prepared, plan }))
  const made = await askQueries({ plan, set, skillFiles, folder, workspace, sandbox, wish: request }, holding.context)
  return { folder, file: benchmarkPaths(folder).triggers, triggers: made }
}

/** A plan with the commands that its skills would start, and why the real start would be refused for them; null: it would not. */
export interface ReviewedTriggers extends PreparedTriggers {
  review: CommandReview
  refusal: StartRefusal | null
}

/** The plan alone, for --dry-run: starts no agent and writes nothing. */
export async function planTriggersOnly(request: TriggersRequest, context: FlowContext): Promise<ReviewedTriggers> {
  const prepared = await prepareTriggers(request, context, true)
  const { review } = await reviewStart(prepared, request, context)
  const refusals: StartRefusal[] = []
  await attemptStep(
    (reason) => void refusals.push(reason),
    () => refuseUnauthorized(review, context),
  )
  return { ...prepared, review, refusal: refusals[0] ?? null }
}

/** Locks the newest unfinished measurement of the same plan, else a new one. */
async function openMeasurement(
  { plan, workspace }: PreparedTriggers,
  fresh: boolean,
  context: FlowContext,
): Promise<{ folder: string; lock: BenchmarkLock }> {
  const of = { workspace, collection: 'triggers', isComplete } as const
  const unfinished = fresh ? null : await findUnfinished(of, { plan }, context)
  const otherwise = ', or start another one with --fresh'
  return await openBenchFolder({ ...of, unfinished, otherwise }, context)
}

function isComplete(folder: string): boolean {
  return tryReadArtefact(triggersSchema, benchmarkPaths(folder).triggers)?.complete === true
}

/** A timed-out run gave no answer: a resume repeats it. */
export async function forgetTimeouts(folder: string, plan: Plan): Promise<void> {
  for (const { run_id } of plan.runs) {
    const stored = await readRun(folder, run_id)
    if (stored?.record.status !== 'timed_out' || stored.record.skill.read === true) continue
    await rm(path.dirname(runPaths(folder, run_id).record), { recursive: true, force: true })
  }
}

export async function buildPlanReadyEvent(folder: string, { plan, set, choices }: PreparedTriggers) {
  const done = (await listDoneRuns(folder, plan.runs)).length
  const { engine } = plan.options
  const asked = toAskedQueries(set)
  return {
    type: 'triggers_planned' as const,
    folder,
    skill_name: plan.skill.name,
    engine: engine.name,
    model: engine.model,
    queries: plan.cases.map(({ eval_id, eval_name }, index) => ({
      eval_id,
      eval_name,
      should_trigger: asked[index]?.should_trigger === true,
    })),
    among: (plan.runs[0]?.among ?? []).map(({ name }) => name),
    runs: plan.runs.length,
    done,
    choices,
    warnings: plan.warnings,
  }
}
