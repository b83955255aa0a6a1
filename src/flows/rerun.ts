/** rerun: one run made anew, beside the old one with the next free number, or in the place of one that has no outcome. */
import path from 'node:path'
import type { Plan, RunSpec } from '../../schemas/plan.ts'
import type { Skill } from '../../schemas/suite.ts'
import { UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { openRoom, reapRooms } from '../base/room.ts'
import { engineNamed } from '../engines/table.ts'
import { withRerun } from '../phases/1-plan/rerun_plan.ts'
import { exportGitVersion, readSkill } from '../phases/1-plan/skill.ts'
import { benchmarkPaths, runPaths } from '../store/paths.ts'
import { writePlanFile } from '../store/plan_file.ts'
import { readPlan, readRun } from '../store/store.ts'
import { snapshotSkills } from './bench.ts'
import type { FlowContext } from './context.ts'
import { execute, isDone, uncached } from './execute.ts'
import { holdBenchmark } from './hold.ts'
import { newestBenchmark } from './newest.ts'
import { planReady } from './plan_ready.ts'
import { preflight } from './preflight.ts'
import type { BenchRequest } from './prepare.ts'
import { hiddenWith, startSandbox, withSandbox } from './start_sandbox.ts'
import { type BenchResult, summarize } from './summarize.ts'
import { refuseStrayInstructions } from './surroundings.ts'

export interface RerunRequest
  extends Pick<BenchRequest, 'skill' | 'workspace' | 'concurrency' | 'passEnv' | 'sandbox'> {
  /** A run id of the newest benchmark of the workspace, or the path of a run's folder. */
  run: string
}

/** Throws UserError for a run that is not there, and for a skill that has changed since: such runs can't be compared. */
export async function rerun(request: RerunRequest, context: FlowContext): Promise<BenchResult> {
  await reapRooms()
  await using scratch = await openRoom()
  const { folder, runId } = await placeOf(request)
  await using held = await holdBenchmark(folder, context)
  const before = await readPlan(folder)
  const broken = await withoutOutcome(folder, before, runId)
  const { plan, spec } = broken === null ? withRerun(before, runId) : { plan: before, spec: broken }
  const { engine, judge } = plan.options
  const choices = [
    broken === null ? `rerun of ${runId} as ${spec.run_id}` : `${runId} had no outcome: it is made again`,
  ]
  const sandbox = await startSandbox(request.sandbox, { plan, choices }, context)
  if (engineNamed(engine.name).readsAbove !== false) await refuseStrayInstructions(scratch.path)
  await preflight({ '--model': engine, '--judge': judge }, request.passEnv, held.context)
  const folders = await versionFolders(spec, path.join(scratch.path, 'version'))
  const skillFiles = await snapshotSkills(folders, scratch.path)
  await writePlanFile(folder, withSandbox(plan, sandbox))
  const only: Plan = { ...plan, runs: [spec] }
  held.context.emit(await planReady(folder, { plan: only, choices }))
  const { concurrency, passEnv } = request
  const hidden = hiddenWith(plan, folder)
  const how = { passEnv, hidden, sandbox, concurrency, limited: null, ...uncached }
  await execute({ plan: only, folder, skillFiles, ...how }, held.context)
  held.context.signal.throwIfAborted()
  return await summarize(folder, plan, held.context)
}

/** The run, where it failed, was cancelled or was never made: nothing would be lost by making it again. Null: it ended. */
async function withoutOutcome(folder: string, plan: Plan, runId: string): Promise<RunSpec | null> {
  const spec = plan.runs.find((run) => run.run_id === runId)
  const stored = spec === undefined ? null : await readRun(folder, runId)
  return spec === undefined || (stored !== null && isDone(stored, spec)) ? null : spec
}

async function placeOf({ skill, workspace, run }: RerunRequest): Promise<{ folder: string; runId: string }> {
  const place = path.resolve(run)
  if (await exists(runPaths(place, '').record)) {
    const folder = path.resolve(place, '../../..')
    if (!(await exists(benchmarkPaths(folder).plan))) {
      throw new UserError(`--rerun ${run}: no plan.json in ${folder}`, 'give the folder of a run that bench made')
    }
    return { folder, runId: path.relative(folder, place).replaceAll(path.sep, '/') }
  }
  const { folder } = await newestBenchmark({ skill, workspace }, '--rerun')
  return { folder, runId: run.replace(/\/+$/, '') }
}

/** Where the run's skill lies now, by its sha256: its folder, or its git version exported to `target`. */
async function versionFolders(spec: RunSpec, target: string): Promise<ReadonlyMap<string, string>> {
  if (spec.skill === null) return new Map()
  const folder = await folderOf(spec.skill, target)
  const { skill } = await readSkill(folder)
  if (skill.sha256 !== spec.skill.sha256) {
    throw new UserError(`${spec.skill.path}: the skill has changed since the run`, 'bench again: it is another version')
  }
  return new Map([[skill.sha256, folder]])
}

async function folderOf({ path: place }: Skill, target: string): Promise<string> {
  const [, folder, ref] = /^(.*) at git:(.+)$/s.exec(place) ?? []
  if (folder === undefined || ref === undefined) return place
  const exported = path.join(target, path.basename(folder))
  await exportGitVersion({ folder, ref, target: exported })
  return exported
}
