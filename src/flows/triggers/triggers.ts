/** triggers: does the description make the agent use the skill? Every query N times through a real engine, judged by what was read. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Plan } from '../../../schemas/plan.ts'
import { type Triggers, triggers as triggersSchema } from '../../../schemas/triggers.ts'
import { openRoom, reapRooms } from '../../base/room.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { engineNamed } from '../../engines/table.ts'
import { readIf } from '../../store/damage.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { listBenchmarks, readPlan, readRun } from '../../store/store.ts'
import { snapshotSkills } from '../bench.ts'
import type { FlowContext } from '../context.ts'
import { isDone } from '../execute.ts'
import type { Held } from '../hold.ts'
import { openFolder } from '../open_folder.ts'
import { preflight } from '../preflight.ts'
import { startSandbox, withSandbox } from '../start_sandbox.ts'
import { refuseStrayInstructions } from '../surroundings.ts'
import { refuseUnpriced } from '../unpriced.ts'
import { ask, askedOf } from './ask.ts'
import { type PreparedTriggers, prepareTriggers, type TriggersRequest } from './prepare_triggers.ts'

export interface TriggersResult {
  /** The folder of the measurement, absolute. */
  folder: string
  /** triggers.json, absolute. */
  file: string
  triggers: Triggers
}

/** Throws UserError or IncompleteError before anything was paid for, the abort reason when cut short. */
export async function triggers(request: TriggersRequest, context: FlowContext): Promise<TriggersResult> {
  await reapRooms()
  await using scratch = await openRoom()
  const prepared = await prepareTriggers(request, context, false)
  const sandbox = await startAsking(request, { prepared, scratch: scratch.path }, context)
  const skillFiles = await snapshotSkills(prepared.folders, scratch.path)
  const { folder, held } = await openMeasurement(prepared, request.fresh, context)
  await using holding = held
  const plan = withSandbox(prepared.plan, sandbox)
  const { set, workspace } = prepared
  await forgetTimeouts(folder, plan)
  context.emit(await plannedEvent(folder, { ...prepared, plan }))
  const made = await ask({ plan, set, skillFiles, folder, workspace, sandbox, wish: request }, holding.context)
  return { folder, file: benchmarkPaths(folder).triggers, triggers: made }
}

/** The plan alone, for --dry-run: no agent is started, nothing written. */
export async function planTriggersOnly(request: TriggersRequest, context: FlowContext): Promise<PreparedTriggers> {
  return await prepareTriggers(request, context, true)
}

/** What has to hold before anything is paid for. */
export async function startAsking(
  request: Pick<TriggersRequest, 'sandbox' | 'passEnv' | 'limits'>,
  { prepared, scratch }: { prepared: Pick<PreparedTriggers, 'plan' | 'choices'>; scratch: string },
  context: FlowContext,
): Promise<SandboxChoice> {
  const { engine } = prepared.plan.options
  const sandbox = await startSandbox(request.sandbox, prepared, context)
  if (engineNamed(engine.name).readsAbove !== false) await refuseStrayInstructions(scratch)
  await preflight({ '--model': engine }, request.passEnv, context)
  await refuseUnpriced(prepared.plan.options, request.limits)
  return sandbox
}

/** The newest unfinished measurement of the same plan, else a new one, held. */
async function openMeasurement(
  { plan, workspace }: PreparedTriggers,
  fresh: boolean,
  context: FlowContext,
): Promise<{ folder: string; held: Held }> {
  const unfinished = fresh ? null : await findUnfinished(workspace, plan)
  const otherwise = ', or start another one beside it with --fresh'
  return await openFolder({ workspace, collection: 'triggers', unfinished, isComplete, otherwise }, context)
}

async function findUnfinished(workspace: string, plan: Plan): Promise<string | null> {
  for (const folder of await listBenchmarks(workspace, 'triggers')) {
    const other = await readPlan(folder).catch(() => null)
    if (other?.plan_id === plan.plan_id) return isComplete(folder) ? null : folder
  }
  return null
}

function isComplete(folder: string): boolean {
  return readIf(triggersSchema, benchmarkPaths(folder).triggers)?.complete === true
}

/** A run whose time was up gave no answer: it is made again when the same command goes on. */
export async function forgetTimeouts(folder: string, plan: Plan): Promise<void> {
  for (const { run_id } of plan.runs) {
    const stored = await readRun(folder, run_id)
    if (stored?.record.status !== 'timed_out' || stored.record.skill.read === true) continue
    await rm(path.dirname(runPaths(folder, run_id).record), { recursive: true, force: true })
  }
}

export async function plannedEvent(folder: string, { plan, set, choices }: PreparedTriggers) {
  let done = 0
  for (const spec of plan.runs) {
    const stored = await readRun(folder, spec.run_id)
    if (stored !== null && isDone(stored, spec)) done += 1
  }
  const { engine } = plan.options
  const asked = askedOf(set)
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
