/** Tries Harbor tasks without an agent: the task's own solution must earn the full reward, and doing nothing must not. */
import { availableParallelism } from 'node:os'
import path from 'node:path'
import pLimit from 'p-limit'
import type { TaskTrial, TriedTask } from '../../../schemas/check_report.ts'
import type { HarborTask } from '../../../schemas/harbor_task.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { openWorld } from '../../phases/2-run/harbor/open_world.ts'
import { solveWorld, verifyWorld } from '../../phases/2-run/harbor/verify.ts'
import { buildRunEnvironment } from '../../phases/2-run/workspace/run_environment.ts'
import { worldPolicies } from '../../phases/2-run/workspace/sandbox_policy.ts'
import { SetupError } from '../../phases/2-run/workspace/symlink_traps.ts'
import { decideLoadFailure } from '../../phases/3-judge/checks/results/load_failures.ts'
import { readVerifierResult } from '../../phases/3-judge/checks/results/verifier_folder.ts'
import type { FlowContext } from '../flow_context.ts'
import type { Trial } from './trial_answers.ts'

interface TryTasksRequest {
  cases: readonly SuiteCase[]
  trials: readonly Trial[]
  sandbox: SandboxChoice
}

/** One row per task, in their order. Rejects only when aborted or on a bug. */
export async function tryTasks(
  { cases, trials, sandbox }: TryTasksRequest,
  context: FlowContext,
): Promise<TriedTask[]> {
  const limit = pLimit(availableParallelism())
  let tried = 0
  const tryNext = async (one: SuiteCase) => {
    const row = await tryTask(one, { trials, sandbox }, context)
    tried += 1
    context.emit({
      type: 'task_tried',
      name: row.name,
      tried,
      wanted: cases.length,
      sound: row.sound,
      reason: row.reason,
    })
    return row
  }
  return await Promise.all(cases.map((one) => limit(() => tryNext(one))))
}

async function tryTask(
  { eval_id, eval_name: name, cannot_run, harbor, ...asked }: SuiteCase,
  { trials, sandbox }: Omit<TryTasksRequest, 'cases'>,
  context: FlowContext,
): Promise<TriedTask> {
  const obstacle = cannot_run ?? (harbor === undefined ? 'it is not a Harbor task' : null)
  if (obstacle !== null || harbor === undefined) return { eval_id, name, sound: false, reason: obstacle ?? '' }
  const row: Pick<TriedTask, 'oracle' | 'null'> = {}
  for (const trial of trials) {
    context.signal.throwIfAborted()
    row[trial] = await tryOnce({ task: harbor, asked, trial, sandbox }, context)
  }
  const reason = explain(row)
  return { eval_id, name, ...row, sound: reason === null, reason }
}

/** Why the task says nothing about an agent on this machine; null: no reason was found. */
function explain({ oracle, null: empty }: Pick<TriedTask, 'oracle' | 'null'>): string | null {
  if (oracle?.reward === null) return `solution: ${oracle.reason}`
  if (oracle !== undefined && oracle.reward < 1) return withReason(`the solution earns ${oracle.reward}`, oracle.reason)
  if (empty?.reward === null) return `doing nothing: ${empty.reason}`
  return empty !== undefined && empty.reward >= 1 ? 'doing nothing earns the full reward' : null
}

function withReason(text: string, reason = ''): string {
  return reason === '' ? text : `${text}: ${reason}`
}

interface TrialRequest {
  task: HarborTask
  asked: Pick<SuiteCase, 'prompt' | 'expected_output' | 'reference'>
  trial: Trial
  sandbox: SandboxChoice
}

async function tryOnce({ task, asked, trial, sandbox }: TrialRequest, context: FlowContext): Promise<TaskTrial> {
  if (trial === 'oracle' && task.solution === null) return { reward: null, reason: 'there is no solution/solve.sh' }
  await using temp = await openTempDir()
  const home = path.join(temp.path, 'home')
  const env = buildRunEnvironment({ user: context.env, home, mark: temp.mark, passEnv: [], hidden: [] })
  const parts = { writable: [], hidden: [], settings: undefined }
  try {
    await using world = await openWorld({
      ...{ task, temp: temp.path, env, userEnv: context.env, programs: null },
      ...worldPolicies(sandbox, parts),
    })
    await world.build(context.signal)
    const { signal } = context
    const solved = trial === 'oracle' ? await solveWorld(world, task, { seconds: task.verifier.seconds, signal }) : null
    await temp.endProcesses()
    if (solved !== null) await world.settle(signal)
    const folder = path.join(temp.path, 'verifier')
    const end = await verifyWorld(world, { task, folder, skillsFolders: [], signal })
    const read = await readVerifierResult(folder, { expectsTests: task.verifier.expects_tests })
    const result = decideLoadFailure(read, end.output, asked)
    const said =
      solved !== null && solved.exitCode !== 0 ? `solve.sh: ${solved.ending}: ${lastLines(solved.output)}` : null
    if ('error' in result) return { reward: null, reason: said ?? `${result.error}: ${lastLines(end.output)}` }
    if (result.score >= 1) return { reward: result.score }
    const failed = result.tests?.find(({ passed }) => !passed)
    return {
      reward: result.score,
      reason: said ?? (failed ? `${failed.name}: ${lastLines(failed.message ?? '')}` : lastLines(end.output)),
    }
  } catch (error) {
    if (error instanceof SetupError) return { reward: null, reason: error.message }
    throw error
  }
}

/** The end of a program's output on one line. */
function lastLines(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  return lines.filter(Boolean).slice(-2).join(' | ').slice(-300)
}
