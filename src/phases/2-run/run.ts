/** Executes one run: the agent in a temp directory of its own, then its outputs as files in the run's folder. */

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import pLimit from 'p-limit'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { AttemptMark } from '../../../schemas/timing.ts'
import { errorMessage } from '../../base/errors/error.ts'
import type { WalkedFile } from '../../base/fs/files.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { assertDiskSpace, isShortage } from '../../base/process/resource_shortage.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { type Sandbox, withEndpoint } from '../../base/sandbox/policy.ts'
import { getRedactor, type Redactor } from '../../base/secrets/redact.ts'
import { activeNow, suspendedMs } from '../../base/time/active_time.ts'
import {
  type Engine,
  type EngineContext,
  type EngineOutcome,
  type EngineTask,
  emptyReport,
  type InstalledSkill,
} from '../../engines/engine.ts'
import { runRateLimited } from '../../engines/limits/execute_within_limits.ts'
import { providerFailure } from '../../engines/limits/provider_caused_timeout.ts'
import { openRateLimiter, type RateLimiter } from '../../engines/limits/rate_limiter.ts'
import { startWorkLimit } from '../../engines/limits/work_time_limit.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { loadPrices } from '../../engines/models/cost.ts'
import { listSkillsFolders } from '../../engines/skills_folders.ts'
import { createEarlyReport } from './aborted_report.ts'
import { takeSnapshot } from './collect/collect_outputs.ts'
import { collectOutputs } from './collect/collect_run.ts'
import { takeOutsideSnapshot } from './collect/outside_files.ts'
import { cleanNames } from './collect/redact_names.ts'
import { cleanFolder, cleanOutputs, cleanRecord, keepStderr } from './collect/redact_run.ts'
import { Transcript } from './collect/transcript.ts'
import { writeRunFiles } from './collect/write_run.ts'
import { verifyWorld } from './harbor/verify.ts'
import type { HarborWorld } from './harbor/world.ts'
import { buildRunRecord, type RunEnd } from './run_record.ts'
import { fillPluginRoot } from './workspace/fill_plugin_root.ts'
import { installEnvironment, installSkills } from './workspace/install_suite_environment.ts'
import { environmentFolder, installRunPrograms, openRunPlace, type RunPlace } from './workspace/run_place.ts'
import { protectSkills } from './workspace/sandbox_policy.ts'
import { runTeardown } from './workspace/shell_step.ts'
import { SetupError } from './workspace/symlink_traps.ts'
import { prepareWorkspace, type WorkspaceRequest } from './workspace/working_folder.ts'

export interface RunRequest {
  spec: RunSpec
  engine: Engine
  /** Files of `spec.skill`, from skillFiles; ignored in a configuration without a skill. */
  skillFiles: readonly WalkedFile[]
  /** Files of each of `spec.among`, by its sha256; absent: none. */
  amongFiles?: ReadonlyMap<string, readonly WalkedFile[]>
  /** Folder to fill, absolute; not read before it is committed. */
  folder: string
  /** The user's environment; the run's own derives from it. */
  userEnv: Readonly<Record<string, string | undefined>>
  passEnv: readonly string[]
  /** Folders that PATH must not contain. */
  hidden: readonly string[]
  sandbox: SandboxChoice
  attempt: number
  /** Already in the folder's timing.json, and kept there; absent: nothing is there, and the folder may not exist. */
  mark?: AttemptMark
  /** Whether to keep the working folder as `work` in the run's folder. */
  keepWork?: boolean
  /** Called when the agent ends in time or at its limit, before collecting; not after a failure, which may stop all runs. */
  onAgentEnd?: () => void
  /** Limits calls to the engine's account, the same for each attempt; absent: no limit. */
  gate?: RateLimiter | undefined
  signal: AbortSignal
  /** Aborted: the run ends at once with status `cancelled`; null: no deadline. */
  deadline?: AbortSignal | null
}

type LimitedRunRequest = RunRequest & { gate: RateLimiter }

export interface RunResult {
  record: RunRecord
  /**
   * When to retry; null: the run ended, or would fail again. `afterMs` null: the server asked for no wait.
   * `uncounted`: the account's rate limit refused it, so it waits at the limiter and does not count as a failure.
   */
  retry: { afterMs: number | null; uncounted: boolean } | null
  /** Commits the run to its benchmark; absent: the caller makes its folder durable and moves it there. */
  place?: () => Promise<void>
}

/** Runs the agent once; resolves however it ends. Rejects only if `signal` aborts, a resource is short (nothing is kept), or on a bug. */
export async function performRun(asked: RunRequest): Promise<RunResult> {
  const request = { ...asked, gate: asked.gate ?? openRateLimiter(null) }
  await using tempDir = await openTempDir()
  if (request.mark === undefined) mkdirSync(request.folder, { recursive: true })
  const redactor = getRedactor(request.userEnv)
  using transcript = new Transcript(path.join(request.folder, 'transcript.jsonl'), redactor)
  await using place = await openRunPlace(request, tempDir)
  const { world } = place
  const end = await runAgentInPlace(request, { ...place, transcript })
  assertDiskSpace(tempDir.path) // on a full disk the last writes are incomplete, so they are not graded
  if (end.outcome.status !== 'failed' && world === null) request.onAgentEnd?.()
  await tempDir.endProcesses()
  if (end.before !== null) await world?.settle(request.signal)
  place.calls?.take('agent')
  const { outputs, warnings: left } = await collectOutputs(request, { ...place, end })
  if (world !== null && end.outcome.status === 'completed') await verify(request, world, redactor)
  if (world !== null && end.outcome.status !== 'failed') request.onAgentEnd?.()
  const { folder } = request
  const kept = path.join(folder, 'outputs')
  const cleaned = [...cleanNames(kept, outputs, redactor), ...cleanOutputs(kept, outputs, redactor)]
  keepStderr(path.join(tempDir.path, stderrName), path.join(folder, stderrName), redactor)
  transcript.end()
  const made = buildRunRecord({
    request,
    end,
    outputs,
    events: transcript.events,
    sandbox: addSandboxEndpoints(request, place.sandbox),
  })
  made.warnings.push(...left, ...(await cleanUp(request, place)))
  place.calls?.write(folder, redactor)
  const record = cleanRecord(made, redactor)
  const unset = place.refused.map((name) => `environment.env.${name} is ignored: each run has its own value`)
  record.warnings.push(...cleaned, ...unset)
  const prompt = redactor.text(request.spec.prompt)
  await writeRunFiles({ folder, record, events: transcript.events, prompt, mark: request.mark })
  return { record, retry: decideRetry(record, end, request.gate) }
}

const stderrName = 'stderr.log'

/** Limits concurrent workspace setups: a thousand runs that begin together would need too many resources at once. */
const setupLimit = pLimit(64)

type Place = RunPlace & { transcript: Transcript }

/** Runs the verifier of a Harbor task, which nothing of the agent may outlive. */
async function verify(
  { spec, engine, folder, signal }: RunRequest,
  world: HarborWorld,
  redactor: Redactor,
): Promise<void> {
  if (spec.harbor === undefined) return
  const kept = path.join(folder, 'verifier')
  await verifyWorld(world, {
    task: spec.harbor,
    folder: kept,
    skillsFolders: listSkillsFolders(engine, spec.engine),
    signal,
  })
  cleanFolder(kept, redactor)
}

async function runAgentInPlace(request: LimitedRunRequest, place: Place): Promise<RunEnd> {
  const { spec, engine, signal } = request
  const skill = spec.skill === null ? null : { skill: spec.skill, files: request.skillFiles }
  const skillsFolders = listSkillsFolders(engine, spec.engine)
  const layout: WorkspaceRequest = {
    cwd: place.cwd,
    files: spec.files,
    git: spec.git,
    setup: spec.setup,
    skillsFolders,
    skill,
    isBuilt: place.world !== null,
    among: (spec.among ?? []).map((one) => ({ skill: one, files: request.amongFiles?.get(one.sha256) ?? [] })),
    env: place.ownEnv,
    setupEnv: place.env,
    sandbox: place.setupSandbox,
    signal: untilDeadline(request),
  }
  const startedAt = new Date()
  try {
    const folder = environmentFolder(place.temp)
    const { skills, environment, ...before } = await setupLimit(async () => {
      signal.throwIfAborted()
      request.deadline?.throwIfAborted()
      await place.world?.build(layout.signal)
      await installRunPrograms(request, place)
      const skills = await prepareWorkspace(layout)
      skills.push(...(await installSkills(spec.environment, place.cwd, skillsFolders)))
      const environment = await installEnvironment(spec.environment, { cwd: place.cwd, folder })
      await fillPluginRoot(spec.environment, { cwd: place.cwd, folder, skills })
      return {
        skills,
        environment,
        before: await takeSnapshot(place.cwd, { skillsFolders, isHome: place.cwd === place.home }),
        outsideBefore: place.world === null ? await takeOutsideSnapshot(place.home) : new Map(),
      }
    })
    place.calls?.take('setup')
    place.transcript.add({ type: 'user', step: 0, text: spec.prompt })
    const task = { ...buildEngineTask(request, place, skills), environment }
    return { ...(await runWithTimeout(request, task, place)), ...before }
  } catch (error) {
    signal.throwIfAborted()
    if (request.deadline?.aborted) return { ...buildCancelledEnd(startedAt), durationMs: 0, before: null }
    if (!(error instanceof SetupError)) throw error
    const failed = { kind: 'setup', message: error.message, retryable: false, retryAfterMs: null } as const
    const outcome: EngineOutcome = { status: 'failed', error: failed, report: emptyReport }
    return { outcome, startedAt, endedAt: new Date(), durationMs: 0, before: null }
  }
}

/** Includes the endpoints that the agent and its tools can reach from the sandbox. */
function addSandboxEndpoints({ spec, engine, userEnv }: RunRequest, sandbox: Sandbox | null): Sandbox | null {
  const credentials = selectCredentials(engine, spec.engine, userEnv)
  const { model, command = null } = spec.engine
  return withEndpoint(sandbox, ...(engine.reaches?.({ model, command, credentials }) ?? []))
}

function buildEngineTask(request: RunRequest, place: Place, skills: readonly InstalledSkill[]): EngineTask {
  const { spec, engine } = request
  return {
    prompt: spec.prompt,
    model: spec.engine.model,
    effort: spec.engine.effort,
    command: spec.engine.command ?? null,
    cwd: place.cwd,
    env: place.env,
    credentials: selectCredentials(engine, spec.engine, request.userEnv),
    skills,
    tools: 'all',
    maxTurns: spec.max_turns,
    answerSchema: null,
    sessionId: randomUUID(),
    sandbox: place.sandbox && protectSkills(place.sandbox, skills),
  }
}

/** Runs the agent under its time limit. A timeout is an end like any other: the engine has stopped the agent by then. */
async function runWithTimeout(
  request: LimitedRunRequest,
  task: EngineTask,
  { transcript, temp }: Place,
): Promise<RunEnd> {
  const { gate } = request
  const ends = request.deadline ? [request.signal, request.deadline] : [request.signal]
  if (request.engine.reports) await loadPrices() // for the models whose usage the engine reports
  using limit = startWorkLimit(request.spec.timeout_seconds * 1000, () => gate.waitedMs, ends)
  const { signal } = limit
  // in the temp directory, because the results only contain redacted files
  const stderrFile = path.join(temp, stderrName)
  const startedAt = new Date()
  const start = activeNow()
  const suspendedBefore = suspendedMs()
  const finish = (outcome: RunEnd['outcome']): RunEnd => {
    const durationMs = Math.round(activeNow() - start)
    const times = { startedAt, endedAt: new Date(), durationMs, suspendedMs: suspendedMs() - suspendedBefore }
    return { outcome, ...times, before: null }
  }
  const early = createEarlyReport()
  const { soFar } = early
  try {
    const emit: EngineContext['emit'] = (event) => transcript.add(event)
    return finish(await runRateLimited(request.engine, task, { signal, stderrFile, emit, gate, soFar }))
  } catch (error) {
    request.signal.throwIfAborted()
    if (request.deadline?.aborted) {
      transcript.add({ type: 'error', step: 0, kind: 'cancelled', message: errorMessage(request.deadline.reason) })
      return finish({ status: 'cancelled', report: await early.take() })
    }
    if (isShortage(error)) throw error
    if (!limit.signal.aborted)
      throw new Error(`engine ${request.engine.name} rejected: ${errorMessage(error)}`, { cause: error })
    const seconds = request.spec.timeout_seconds
    const report = await early.take()
    const failure = request.engine.hidesWork ? null : providerFailure(report, seconds)
    if (failure !== null) {
      transcript.add({ type: 'error', step: 0, kind: failure.kind, message: failure.message })
      return finish({ status: 'failed', error: failure, report })
    }
    transcript.add({ type: 'error', step: 0, kind: 'timed_out', message: `did not end within ${seconds} s` })
    // the time that stopping it took is not its working time
    return { ...finish({ status: 'timed_out', report }), durationMs: seconds * 1000 }
  }
}

function untilDeadline({ signal, deadline }: RunRequest): AbortSignal {
  return deadline ? AbortSignal.any([signal, deadline]) : signal
}

function buildCancelledEnd(startedAt: Date): Pick<RunEnd, 'outcome' | 'startedAt' | 'endedAt'> {
  return { outcome: { status: 'cancelled', report: emptyReport }, startedAt, endedAt: new Date() }
}

/** Also after a failed setup, which may have started something. Returns the warning about a failure, if any. */
async function cleanUp({ spec, signal }: RunRequest, { cwd, env, sandbox, calls }: RunPlace): Promise<string[]> {
  if (spec.teardown === undefined || !existsSync(cwd)) return []
  const warning = await runTeardown(spec.teardown, { cwd, env, sandbox, signal })
  calls?.take('teardown')
  return warning === null ? [] : [warning]
}

function decideRetry(record: RunRecord, end: RunEnd, gate: RateLimiter): RunResult['retry'] {
  if (record.status !== 'failed' || end.outcome.status !== 'failed') return null
  const { kind, retryable, retryAfterMs } = end.outcome.error
  if (!retryable) return null
  const uncounted = kind === 'rate_limited' && gate.governs
  return { afterMs: uncounted ? null : retryAfterMs, uncounted }
}
