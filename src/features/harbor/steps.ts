/** Harbor tasks before and beside their runs: where they run, with which skills and agents, and a trial of each without an agent. */
import { availableParallelism } from 'node:os'
import path from 'node:path'
import pLimit from 'p-limit'
import type { TaskTrial, TriedTask } from '../../../schemas/check_report.ts'
import type { HarborBackend, HarborTask } from '../../../schemas/harbor_task.ts'
import type { Plan } from '../../../schemas/plan.ts'
import type { LoadWarning, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { readText } from '../../base/json/json.ts'
import {
  chooseSandbox,
  noSandboxWish,
  probeSandbox,
  type SandboxChoice,
  type SandboxWish,
} from '../../base/sandbox/choose.ts'
import { isSystemPath } from '../../base/sandbox/system.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { findEngine } from '../../engines/table.ts'
import { authorizeCommands, resolveConfinement, reviewCases } from '../../flows/authorize/suite_commands.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { TaskSettings, TaskSteps, TaskUse } from '../../flows/sandbox/task_steps.ts'
import { buildRunEnvironment } from '../../phases/2-run/workspace/run_environment.ts'
import { worldPolicies } from '../../phases/2-run/workspace/sandbox_policy.ts'
import { SetupError } from '../../phases/2-run/workspace/symlink_traps.ts'
import { decideLoadFailure } from '../../phases/3-judge/checks/results/load_failures.ts'
import { readVerifierResult } from '../../phases/3-judge/checks/results/verifier_folder.ts'
import { probeContainerClient } from './client.ts'
import { openWorld, solveWorld, verifyWorld } from './verify.ts'

type Trial = 'oracle' | 'null'

/** One row per task, in their order. Rejects with UserError where none can run or the user says no, when aborted, or on a bug. */
async function tryTasks(
  suite: Suite,
  request: TaskSettings & { trials: readonly Trial[] },
  context: FlowContext,
): Promise<TriedTask[]> {
  const wish = request.sandbox ?? noSandboxWish
  const { cases } = (await placeTasks(suite, { otherSkill: false, compares: false }, request, context)).suite
  const sandbox = await chooseSandbox(wish, context.env.PATH ?? '')
  const solves = request.trials.includes('oracle')
  const starting = cases
    .filter(({ cannot_run }) => cannot_run === null)
    .map((one) => ({ ...one, withoutAgent: true as const, ...(solves && { withSolution: true as const }) }))
  const confinement = resolveConfinement(sandbox, wish)
  await authorizeCommands(reviewCases(suite.path, starting, { confinement }), context)
  const limit = pLimit(availableParallelism())
  let tried = 0
  const tryNext = async (one: SuiteCase) => {
    const row = await tryTask(one, { trials: request.trials, sandbox }, context)
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
  { trials, sandbox }: { trials: readonly Trial[]; sandbox: SandboxChoice },
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
    const end = await verifyWorld(world, task, { folder, skillsFolders: [], signal })
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

/** Chooses a backend and marks the tasks that can't run there. Other suites stay as they are. Throws UserError. */
async function placeTasks(
  suite: Suite,
  { otherSkill, compares, isRemote }: TaskUse,
  request: TaskSettings,
  context: FlowContext,
): Promise<{ suite: Suite; choices: string[] }> {
  if (!suite.cases.some(({ harbor }) => harbor !== undefined)) return { suite, choices: [] }
  if (isRemote) throw new UserError(`${suite.path}: Harbor tasks do not run through a queue yet`, 'leave out --queue')
  const { backend, reason: choice } = await chooseBackend(suite.path, request, context)
  const network = request.sandbox?.network ?? 'none'
  const isBuiltClosed = network === 'none'
  const cases = suite.cases.map((one) => {
    if (one.harbor === undefined) return one
    const skills = otherSkill ? [] : one.harbor.skills
    const isSame = compares && !otherSkill && skills.length === 0
    const noSkill = isSame ? 'it brings no skill, so there is nothing to compare; whetstone eval runs it' : null
    const ofBackend = backend === 'plain' ? one.harbor.not_plain : isBuiltClosed ? one.harbor.build_network : null
    const reason = noSkill ?? one.harbor.unsupported ?? ofBackend ?? null
    return { ...one, harbor: { ...one.harbor, backend, skills }, cannot_run: one.cannot_run ?? reason }
  })
  const isClosed = backend !== 'plain' && network !== 'open'
  const warnings = [...suite.warnings, ...(isClosed ? await warnOfInstallers(suite) : [])]
  return { suite: { ...suite, cases, warnings }, choices: [choice] }
}

const installer = /^\s*(?:sudo\s+)?(?:apt-get|apt|apk|curl|wget|pip3?|uvx?|npm)\s/m

/** In a container without a network, tests can't install what they need. */
async function warnOfInstallers({ path: file, cases }: Suite): Promise<LoadWarning[]> {
  const found: string[] = []
  for (const { eval_id, harbor } of cases) {
    if (harbor === undefined) continue
    const script = await readText(path.join(harbor.folder, 'tests/test.sh')).catch(() => '')
    if (installer.test(script)) found.push(String(eval_id))
  }
  if (found.length === 0) return []
  const message =
    'tests/test.sh installs packages, which a container without a network can not (--network open allows it)'
  return [{ file, at: `case ${found.join(', ')}`, message }]
}

/** The backend, and a line for a person. Throws UserError where it does not work here. */
async function chooseBackend(
  file: string,
  { backend = 'auto', sandbox }: TaskSettings,
  { env, signal }: FlowContext,
): Promise<{ backend: HarborBackend; reason: string }> {
  const choosePlain = () => requireBubblewrap(file, sandbox ?? noSandboxWish, env)
  if (backend === 'plain') return await choosePlain()
  for (const engine of backend === 'auto' ? (['docker', 'podman'] as const) : [backend]) {
    const probe = await probeContainerClient(engine, { env, signal })
    if (probe.ok) return { backend: engine, reason: `Harbor tasks: containers of ${probe.client.program}` }
    if (backend !== 'auto') throw new UserError(`--backend ${backend}: ${probe.message}`, probe.fix)
  }
  return await choosePlain()
}

async function requireBubblewrap(
  file: string,
  { mode }: SandboxWish,
  env: FlowContext['env'],
): Promise<{ backend: HarborBackend; reason: string }> {
  const problem = `${file}: Harbor tasks write to absolute paths, which needs a sandbox or a container`
  if (mode === 'off') throw new UserError(problem, 'leave out --sandbox off, or start Docker or Podman')
  const probe = await probeSandbox(env.PATH ?? '')
  if (probe.ok && probe.mechanism === 'bubblewrap')
    return { backend: 'plain', reason: 'Harbor tasks: bubblewrap, with the packages of this machine' }
  throw new UserError(
    `${problem}: ${probe.ok ? 'Seatbelt cannot show other paths' : probe.message}`,
    probe.ok ? 'start Docker or Podman, or use Linux with bubblewrap' : `start Docker or Podman, or ${probe.fix}`,
  )
}

/** Throws UserError for an agent whose process can't work in the containers of the plan's tasks. */
async function refuseOutsideAgents(
  { runs, options }: Plan,
  { sandbox: wish }: TaskSettings,
  { env }: FlowContext,
): Promise<void> {
  const isInContainer = runs.some(({ harbor }) => harbor !== undefined && harbor.backend !== 'plain')
  if (!isInContainer || options.engine.name === 'auto') return
  const { name, model, command = null } = options.engine
  const engine = findEngine(name)
  const credentials = selectCredentials(engine, options.engine, env)
  const servers = engine.reaches?.({ model, command, credentials }) ?? []
  if (servers.length > 0 && wish?.network !== 'open') {
    throw new UserError(
      `--engine ${name} runs inside the containers of Harbor tasks, which have no network, so it can't reach its model`,
      'add --network open, or choose an engine that calls its model from outside: anthropic or openai',
    )
  }
  const passed = Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value ? [[key, value]] : [])))
  const programs = (await engine.findPrograms?.({ command, env: passed, credentials })) ?? []
  const ofSystem = command === null ? programs.find((program) => isSystemPath(program)) : undefined
  if (ofSystem === undefined) return
  throw new UserError(
    `--engine ${name}: ${ofSystem} is in a folder of the system, which a container has itself`,
    'install the agent in a folder of your own, such as npm install --prefix ~/agents, and put its .bin first on PATH',
  )
}

export const harborSteps: TaskSteps = { place: placeTasks, refuseAgents: refuseOutsideAgents, try: tryTasks }
