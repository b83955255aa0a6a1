/** Performs one run: a room of its own, the agent in it, then what it left behind as files in the run's folder. */
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import pLimit from 'p-limit'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { AttemptMark } from '../../../schemas/timing.ts'
import { messageOf } from '../../base/error.ts'
import type { WalkedFile } from '../../base/files.ts'
import { sha256 } from '../../base/json.ts'
import { MadeFiles } from '../../base/made_files.ts'
import { redactorFor } from '../../base/redact.ts'
import { Rooms } from '../../base/rooms.ts'
import type { SandboxChoice } from '../../base/sandbox/choose.ts'
import { type Sandbox, withEndpoint } from '../../base/sandbox/policy.ts'
import { isShortage, refuseFull } from '../../base/shortage.ts'
import { suiteVariables } from '../../base/suite_variables.ts'
import { credentialsOf } from '../../engines/base_url.ts'
import { loadPrices } from '../../engines/cost.ts'
import {
  type Engine,
  type EngineContext,
  type EngineError,
  type EngineOutcome,
  type EngineTask,
  emptyReport,
  type InstalledSkill,
} from '../../engines/engine.ts'
import { type Gate, openGate } from '../../engines/gate.ts'
import { runAtGate } from '../../engines/perform.ts'
import { workLimit } from '../../engines/work_limit.ts'
import { collect, keepFolder, takeSnapshot } from './collect.ts'
import { confine, withReadOnly } from './confine.ts'
import { earlyReport } from './early_report.ts'
import { runEnvironment } from './environment.ts'
import { installEnvironment, installSkills } from './install_environment.ts'
import { type RunEnd, recordOf } from './record.ts'
import { cleanOutputs, cleanRecord, keepStderr } from './redact.ts'
import { Transcript } from './transcript.ts'
import { layOut, SetupError, type WorkspaceRequest } from './workspace.ts'
import { writeRunFiles } from './write.ts'

export interface RunRequest {
  spec: RunSpec
  engine: Engine
  /** The files of `spec.skill`, as skillFiles gives them; ignored where the arm has no skill. */
  skillFiles: readonly WalkedFile[]
  /** The files of each of `spec.among`, by its sha256; absent: there is none. */
  amongFiles?: ReadonlyMap<string, readonly WalkedFile[]>
  /** Folder to fill, absolute; nobody reads it before it is committed. */
  folder: string
  /** The user's environment, from which the run's own is built. */
  userEnv: Readonly<Record<string, string | undefined>>
  passEnv: readonly string[]
  /** Folders that PATH may not name. */
  hidden: readonly string[]
  sandbox: SandboxChoice
  /** What gives the run its room; absent: one is made for it. */
  rooms?: Rooms
  attempt: number
  /** What lies in the folder's timing.json and stays there; absent: nothing lies there, and the folder may have to be made. */
  mark?: AttemptMark
  /** Whether the working folder is kept, as `work` in the run's folder. */
  keepWork?: boolean
  /** Whether what is written is to be durable when it resolves: then whoever commits it need not open each file again. */
  durable?: boolean
  /** Called when the agent has ended in time or at its limit, before what it left is collected; not after a failure, which may stop all others. */
  onAgentEnd?: () => void
  /** Before the account of the run's engine, the same in each attempt; absent: an open one. */
  gate?: Gate | undefined
  signal: AbortSignal
  /** Aborted: the run ends now, and its record says `cancelled`; null: never. */
  deadline?: AbortSignal | null
}

type GatedRequest = RunRequest & { gate: Gate }

interface DurableParts {
  /** Absolute paths of files, whose content is, and of the run's folder, whose names are. */
  paths: ReadonlySet<string>
  /** Of run.json. */
  sha256: string
}

export interface RunResult {
  record: RunRecord
  /**
   * How the same run may fare better: null when it ended, or would fail again. `afterMs` null: no wish from the server.
   * `uncounted`: the account's limit refused it, so that it waits its turn at the gate and is no failure.
   */
  retry: { afterMs: number | null; uncounted: boolean } | null
  /** What is durable already. */
  durable?: DurableParts
  /** Puts it into its benchmark, for good; absent: its folder is to be made durable and moved there. */
  place?: () => Promise<void>
}

/** Runs the agent once. Resolves for every end of it; rejects only when `signal` is aborted or the machine is short of something (nothing is kept then), or on a bug. */
export async function performRun(asked: RunRequest): Promise<RunResult> {
  const request = { ...asked, gate: asked.gate ?? openGate(null) }
  await using once = new Rooms()
  await using room = await (request.rooms ?? once).open()
  const { home } = room
  const cwd = path.join(room.path, 'work')
  if (request.mark === undefined) mkdirSync(request.folder, { recursive: true })
  const { userEnv: user, passEnv, hidden } = request
  const own = runEnvironment({ user, home, mark: room.mark, passEnv, hidden })
  const ofSuite = suiteVariables(request.spec.environment?.env) // whoever wrote the plan
  const env = { ...ofSuite.set, ...own }
  const redactor = redactorFor(user)
  const events = path.join(request.folder, 'transcript.jsonl')
  const transcript = new Transcript(events, redactor)
  using files = new MadeFiles()
  try {
    const only = writableIn(cwd, request.spec)
    const readable = [environmentIn(cwd), ...(only === null ? [] : [cwd])]
    const parts = { writable: [...(only ?? [cwd]), home], readable, hidden, settings: request.spec.sandbox }
    const sandbox = confine(request.sandbox, parts)
    const end = await runIn(request, { cwd, env, transcript, sandbox })
    refuseFull(room.path) // whatever the agent wrote last is cut off or not there: no work of its own to be graded
    if (end.outcome.status !== 'failed') request.onAgentEnd?.()
    await room.endProcesses()
    const outputs = await collectOutputs(request, { cwd, end })
    const { folder } = request
    const cleaned = cleanOutputs(path.join(folder, 'outputs'), outputs, redactor)
    keepStderr(path.join(room.path, stderrName), path.join(folder, stderrName), redactor)
    files.take(events, transcript.handOver())
    const made = recordOf({ request, end, outputs, events: transcript.events, sandbox: inForce(request, sandbox) })
    const record = cleanRecord(made, redactor)
    const unset = ofSuite.refused.map((name) => `environment.env.${name} is not set: the run has its own`)
    record.warnings.push(...cleaned, ...unset)
    const prompt = redactor.text(request.spec.prompt)
    const written = { folder, record, events: transcript.events, prompt, mark: request.mark }
    const text = await writeRunFiles(written, {
      make: (file, data) => files.write(file, data),
      over: (file, data) => files.overwrite(file, data),
    })
    const result = { record, retry: retryOf(record, end, request.gate) }
    if (!request.durable) return result
    return { ...result, durable: { paths: await files.sync(folder), sha256: sha256(text) } }
  } finally {
    transcript.end()
  }
}

const stderrName = 'stderr.log'

/** Working folders that are made at once: a thousand runs that begin together would hold all that this takes together. */
const settingUp = pLimit(64)

interface Place {
  cwd: string
  env: Record<string, string>
  transcript: Transcript
  sandbox: Sandbox | null
}

async function runIn(request: GatedRequest, place: Place): Promise<RunEnd> {
  const { spec, engine, signal } = request
  const skill = spec.skill === null ? null : { skill: spec.skill, files: request.skillFiles }
  const layout: WorkspaceRequest = {
    cwd: place.cwd,
    files: spec.files,
    git: spec.git,
    setup: spec.setup,
    skillsFolder: engine.skillsFolder,
    skill,
    among: (spec.among ?? []).map((one) => ({ skill: one, files: request.amongFiles?.get(one.sha256) ?? [] })),
    env: place.env,
    sandbox: place.sandbox,
    get signal() {
      return untilDeadline(request) // made for who waits on it: most runs have nothing that waits before the agent
    },
  }
  const startedAt = new Date()
  try {
    const folder = environmentIn(place.cwd)
    const { skills, environment, before } = await settingUp(async () => {
      signal.throwIfAborted()
      request.deadline?.throwIfAborted()
      return {
        skills: [...(await layOut(layout)), ...(await installSkills(spec.environment, place.cwd, engine.skillsFolder))],
        environment: await installEnvironment(spec.environment, { cwd: place.cwd, folder }),
        before: isBare(spec) ? new Map() : await takeSnapshot(place.cwd, engine.skillsFolder),
      }
    })
    place.transcript.add({ type: 'user', step: 0, text: spec.prompt })
    const task = { ...taskOf(request, place, skills), environment }
    return { ...(await timed(request, task, place.transcript)), before }
  } catch (error) {
    signal.throwIfAborted()
    if (request.deadline?.aborted) return { ...cancelled(startedAt), durationMs: 0, before: null }
    if (!(error instanceof SetupError)) throw error
    const failed = { kind: 'setup', message: error.message, retryable: false, retryAfterMs: null } as const
    const outcome: EngineOutcome = { status: 'failed', error: failed, report: emptyReport }
    return { outcome, startedAt, endedAt: new Date(), durationMs: 0, before: null }
  }
}

/** The sandbox as the agent itself, and its tools with it, was in it. */
function inForce({ spec, engine, userEnv }: RunRequest, sandbox: Sandbox | null): Sandbox | null {
  const credentials = credentialsOf(engine, spec.engine, userEnv)
  return withEndpoint(sandbox, ...(engine.reaches?.({ model: spec.engine.model, credentials }) ?? []))
}

/** Whether the working folder holds nothing at the start but skills, which no snapshot holds. */
function isBare({ files, git, setup, environment, sandbox }: RunSpec): boolean {
  const isLaid = files.length > 0 || git !== null || environment !== undefined
  return !isLaid && setup === null && sandbox?.only_writable === undefined
}

/** The folders of the working folder that alone may be changed, made; null: all of it may. */
function writableIn(cwd: string, { sandbox }: RunSpec): string[] | null {
  const folders = sandbox?.only_writable?.map((name) => path.join(cwd, name)) ?? null
  for (const folder of folders ?? []) mkdirSync(folder, { recursive: true })
  return folders
}

/** Beside the working folder. */
function environmentIn(cwd: string): string {
  return path.join(path.dirname(cwd), 'environment')
}

function taskOf(request: RunRequest, place: Place, skills: readonly InstalledSkill[]): EngineTask {
  const { spec, engine } = request
  return {
    prompt: spec.prompt,
    model: spec.engine.model,
    command: spec.engine.command ?? null,
    cwd: place.cwd,
    env: place.env,
    credentials: credentialsOf(engine, spec.engine, request.userEnv),
    skills,
    tools: 'all',
    maxTurns: spec.max_turns,
    answerSchema: null,
    sessionId: randomUUID(),
    sandbox: place.sandbox && withReadOnly(place.sandbox, skills),
  }
}

/** The agent under its time limit. A timeout is an end like another: the engine has ended the agent by then. */
async function timed(request: GatedRequest, task: EngineTask, transcript: Transcript): Promise<RunEnd> {
  const { gate } = request
  const ends = request.deadline ? [request.signal, request.deadline] : [request.signal]
  if (request.engine.reports) await loadPrices() // of the models whose use it reports
  using limit = workLimit(request.spec.timeout_seconds * 1000, () => gate.waitedMs, ends)
  const { signal } = limit
  // in the room: nothing that was not looked through lies among the results
  const stderrFile = path.join(path.dirname(task.cwd), stderrName)
  const before = gate.calls
  const startedAt = new Date()
  const start = performance.now()
  const finish = (outcome: RunEnd['outcome']): RunEnd => {
    const durationMs = Math.round(performance.now() - start)
    return { outcome, startedAt, endedAt: new Date(), durationMs, before: null }
  }
  const early = earlyReport()
  const { soFar } = early
  try {
    const emit: EngineContext['emit'] = (event) => transcript.add(event)
    return finish(await runAtGate(request.engine, task, { signal, stderrFile, emit, gate, soFar }))
  } catch (error) {
    request.signal.throwIfAborted()
    if (request.deadline?.aborted) {
      transcript.add({ type: 'error', step: 0, kind: 'cancelled', message: messageOf(request.deadline.reason) })
      return finish({ status: 'cancelled', report: await early.take() })
    }
    if (isShortage(error)) throw error
    if (!limit.signal.aborted)
      throw new Error(`engine ${request.engine.name} rejected: ${messageOf(error)}`, { cause: error })
    const seconds = request.spec.timeout_seconds
    if (gate.calls.sent > before.sent && gate.calls.answered === before.answered) {
      const error = unanswered(seconds)
      transcript.add({ type: 'error', step: 0, kind: error.kind, message: error.message })
      return finish({ status: 'failed', error, report: await early.take() })
    }
    transcript.add({ type: 'error', step: 0, kind: 'timed_out', message: `no end within ${seconds} s` })
    // the wait until it was ended is not its working time
    return { ...finish({ status: 'timed_out', report: await early.take() }), durationMs: seconds * 1000 }
  }
}

/** A server that was silent all the time says nothing of an agent: no timeout, which would be a grade. */
function unanswered(seconds: number): EngineError {
  const message = `the server sent nothing within ${seconds} s, the time limit of the case`
  return { kind: 'server_error', message, retryable: true, retryAfterMs: null }
}

function untilDeadline({ signal, deadline }: RunRequest): AbortSignal {
  return deadline ? AbortSignal.any([signal, deadline]) : signal
}

function cancelled(startedAt: Date): Pick<RunEnd, 'outcome' | 'startedAt' | 'endedAt'> {
  return { outcome: { status: 'cancelled', report: emptyReport }, startedAt, endedAt: new Date() }
}

async function collectOutputs(request: RunRequest, at: { cwd: string; end: RunEnd }): Promise<RunRecord['outputs']> {
  const target = path.join(request.folder, 'outputs')
  mkdirSync(target, { recursive: true })
  if (request.keepWork) await keepFolder(at.cwd, path.join(request.folder, 'work'))
  if (at.end.before === null) return { files: [], deleted: [], left_out: [] }
  return collect({ cwd: at.cwd, before: at.end.before, skillsFolder: request.engine.skillsFolder, target })
}

function retryOf(record: RunRecord, end: RunEnd, gate: Gate): RunResult['retry'] {
  if (record.status !== 'failed' || end.outcome.status !== 'failed') return null
  const { kind, retryable, retryAfterMs } = end.outcome.error
  if (!retryable) return null
  const uncounted = kind === 'rate_limited' && gate.governs
  return { afterMs: uncounted ? null : retryAfterMs, uncounted }
}
