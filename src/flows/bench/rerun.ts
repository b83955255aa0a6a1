/** rerun: repeats one run under the next free number, or in place of a run without an outcome. */
import path from 'node:path'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { findEngine } from '../../engines/table.ts'
import { addRerun } from '../../phases/1-plan/plan/rerun_plan.ts'
import { exportGitVersion } from '../../phases/1-plan/skill/git_version.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { assertNoOpenNetwork } from '../../phases/1-plan/suite/open_network.ts'
import { benchmarkPaths, runPaths } from '../../store/paths.ts'
import { isRunDone } from '../../store/run_folders.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { isOwnPlan, readPlan, readRun, writePlan } from '../../store/store.ts'
import { authorizePlannedEngine } from '../authorize/planned_programs.ts'
import { authorizeCommands, resolveConfinement, reviewPlan } from '../authorize/suite_commands.ts'
import type { FlowContext } from '../flow_context.ts'
import { refuseStrayInstructions, reportUnsetVariables } from '../prepare/check_start.ts'
import { preflight } from '../prepare/preflight.ts'
import type { BenchRequest } from '../prepare/prepare_bench.ts'
import { type BenchResult, summarizeBenchmark } from '../report/summarize.ts'
import { execute, noRunCache } from '../run/execute.ts'
import { createPlanReadyEvent } from '../run/plan_ready_event.ts'
import { listBenchmarkHiddenPaths, startSandbox, withSandbox } from '../sandbox/start_sandbox.ts'
import { clearLeftovers, lockBenchmark } from '../workspace/benchmark_lock.ts'
import { findNewestBenchmark } from '../workspace/newest_benchmark.ts'
import { repairBenchmark } from '../workspace/open_benchmark.ts'
import { snapshotSkills } from './bench.ts'

export interface RerunRequest
  extends Pick<BenchRequest, 'skill' | 'workspace' | 'concurrency' | 'passEnv' | 'sandbox'> {
  /** A run id in the workspace's newest benchmark, or the path of a run's folder. */
  run: string
}

/** Throws UserError for an unknown run, and for a skill that has changed since: such runs are not comparable. */
export async function rerun(request: RerunRequest, context: FlowContext): Promise<BenchResult> {
  await clearLeftovers(context)
  await using scratch = await openTempDir()
  const { folder, runId } = await locateRun(request, context)
  await using lock = await lockBenchmark(folder, context)
  const signer = findSigner(context.env)
  const before = await readPlan(folder)
  if (!isOwnPlan(folder, signer)) {
    throw new UserError(
      `${folder}: a benchmark without your signature`,
      'bench the skill yourself, then repeat its runs',
    )
  }
  await repairBenchmark(folder, before, lock.context)
  const broken = await findRunWithoutOutcome(folder, before, runId)
  const { plan, spec } = broken === null ? addRerun(before, runId) : { plan: before, spec: broken }
  const { engine, judge } = plan.options
  const choices = [broken === null ? `rerun of ${runId} as ${spec.run_id}` : `${runId} has no outcome: it runs again`]
  assertNoOpenNetwork(plan.suite.path, spec.sandbox, request.sandbox)
  const sandbox = await startSandbox(request.sandbox, { choices }, context)
  reportUnsetVariables(request, { choices }, context)
  const one = { ...plan, runs: [spec] }
  const planned = { file: folder, named: { choice: false, baseUrl: false }, wish: request.sandbox }
  await authorizePlannedEngine({ ...planned, role: 'agent', choice: engine }, context) // preflight probes it
  await authorizePlannedEngine({ ...planned, role: 'agent', choice: spec.engine }, context)
  await authorizePlannedEngine({ ...planned, role: 'judge', choice: judge }, context)
  const folders = await versionFolders(spec, path.join(scratch.path, 'version'))
  await authorizeCommands(await reviewPlan(one, folders, resolveConfinement(sandbox, request.sandbox)), context)
  if (findEngine(engine.name).readsAbove !== false) await refuseStrayInstructions(scratch.path)
  await preflight({ '--model': engine, '--judge': judge }, request.passEnv, lock.context)
  const skillFiles = await snapshotSkills(folders, scratch.path)
  await writePlan(folder, withSandbox(plan, sandbox), signer)
  lock.context.emit(await createPlanReadyEvent(folder, { plan: one, choices }))
  const { concurrency, passEnv } = request
  const hidden = listBenchmarkHiddenPaths(plan, folder)
  const how = { passEnv, hidden, sandbox, concurrency, limited: null, ...noRunCache }
  await execute({ plan: one, folder, skillFiles, ...how }, lock.context)
  lock.context.signal.throwIfAborted()
  return await summarizeBenchmark(folder, plan, lock.context)
}

/** The run, if it failed, was cancelled or never started: repeating it loses nothing. null: it ended. */
async function findRunWithoutOutcome(folder: string, plan: Plan, runId: string): Promise<RunSpec | null> {
  const spec = plan.runs.find((run) => run.run_id === runId)
  const stored = spec === undefined ? null : await readRun(folder, runId)
  return spec === undefined || (stored !== null && isRunDone(stored, spec)) ? null : spec
}

async function locateRun(
  { skill, workspace, run }: RerunRequest,
  context: FlowContext,
): Promise<{ folder: string; runId: string }> {
  const place = path.resolve(run)
  if (await pathExists(runPaths(place, '').record)) {
    const folder = path.resolve(place, '../../..')
    if (!(await pathExists(benchmarkPaths(folder).plan))) {
      throw new UserError(`--rerun ${run}: no plan.json in ${folder}`, 'pass the folder of a run by bench')
    }
    return { folder, runId: path.relative(folder, place).replaceAll(path.sep, '/') }
  }
  const { folder } = await findNewestBenchmark({ skill, workspace }, '--rerun', context)
  return { folder, runId: run.replace(/\/+$/, '') }
}

/** The current folder of the run's skill, by its sha256: the original, or its git version exported to `target`. */
async function versionFolders(spec: RunSpec, target: string): Promise<ReadonlyMap<string, string>> {
  if (spec.skill === null) return new Map()
  const folder = await locateVersion(spec.skill, target)
  const { skill } = await readSkill(folder, 'copy') // refused below unless it is the same as in the benchmark
  if (skill.sha256 !== spec.skill.sha256) {
    throw new UserError(
      `${spec.skill.path}: the skill has changed since the run`,
      'run bench again for the new version',
    )
  }
  return new Map([[skill.sha256, folder]])
}

async function locateVersion({ path: place }: Skill, target: string): Promise<string> {
  const [, folder, ref] = /^(.*) at git:(.+)$/s.exec(place) ?? []
  if (folder === undefined || ref === undefined) return place
  const exported = path.join(target, path.basename(folder))
  const { existed } = await exportGitVersion({ folder, ref, target: exported })
  if (existed) return exported
  throw new UserError(`${place}: the skill does not exist at ${ref} any more`, 'run bench again')
}
