/** Executes one run: the agent in a temp directory of its own, then its outputs as files in the run's folder. */
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import type { RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { Environment } from '../../../schemas/suite.ts'
import { findImageType, imageLimits, type TaskImage } from '../../base/fs/image_type.ts'
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { assertDiskSpace } from '../../base/process/resource_shortage.ts'
import { type Sandbox, showPlace, withEndpoint } from '../../base/sandbox/policy.ts'
import { getRedactor, type Redactor } from '../../base/secrets/redact.ts'
import { explainRefusal } from '../../base/secrets/suite_variables.ts'
import { type Engine, type EngineTask, emptyReport, type InstalledSkill } from '../../engines/engine.ts'
import { openRateLimiter, type RateLimiter } from '../../engines/limits/rate_limiter.ts'
import { selectCredentials } from '../../engines/models/base_url.ts'
import { listSkillsFolders } from '../../engines/table.ts'
import { takeOutsideSnapshot, takeSnapshot } from './collect/collect_outputs.ts'
import { collectOutputs } from './collect/collect_run.ts'
import { cleanFolder, cleanNames, cleanOutputs, cleanRecord, keepStderr } from './collect/redact_run.ts'
import { Transcript } from './collect/transcript.ts'
import { writeRunFiles } from './collect/write_run.ts'
import { openPartner } from './conversation/open_partner.ts'
import { buildRunRecord, type RunEnd } from './run_record.ts'
import type { LimitedRunRequest, RunRequest } from './run_request.ts'
import { runWithTimeout, stderrName, untilDeadline } from './run_with_timeout.ts'
import type { TaskWorld } from './task_world.ts'
import { installEnvironment, installSkills } from './workspace/install_suite_environment.ts'
import { environmentFolder, installRunPrograms, openRunPlace, type RunPlace } from './workspace/run_place.ts'
import { protectFiles } from './workspace/sandbox_policy.ts'
import { runTeardown } from './workspace/shell_step.ts'
import { assertNoSymlinkTraps, SetupError } from './workspace/symlink_traps.ts'
import { prepareWorkspace, type WorkspaceRequest } from './workspace/working_folder.ts'

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
  const unset = place.refused.map((name) => `environment.env.${name} is ignored: ${explainRefusal(name).reason}`)
  record.warnings.push(...cleaned, ...unset)
  const prompt = redactor.text(request.spec.prompt)
  await writeRunFiles({ folder, record, events: transcript.events, prompt, mark: request.mark })
  return { record, retry: decideRetry(record, end, request.gate) }
}

/** Limits concurrent workspace setups: a thousand runs that begin together would need too many resources at once. */
const setupLimit = pLimit(64)

type Place = RunPlace & { transcript: Transcript }

/** Runs the verifier of the task, which nothing of the agent may outlive. */
async function verify(
  { spec, engine, folder, signal }: RunRequest,
  world: TaskWorld,
  redactor: Redactor,
): Promise<void> {
  const kept = path.join(folder, 'verifier')
  await world.verify({ folder: kept, skillsFolders: listSkillsFolders(engine, spec.engine), signal })
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
    const { skills, environment, images, ...before } = await setupLimit(async () => {
      signal.throwIfAborted()
      request.deadline?.throwIfAborted()
      await place.world?.build(layout.signal)
      await installRunPrograms(request, place)
      const skills = await prepareWorkspace(layout)
      skills.push(...(await installSkills(spec.environment, place.cwd, skillsFolders)))
      const shown = showPlace(folder, place.sandbox?.policy.places)
      const environment = await installEnvironment(spec.environment, { cwd: place.cwd, folder, shown })
      await fillPluginRoot(spec.environment, { cwd: place.cwd, folder: shown, skills })
      return {
        skills,
        environment,
        images: await readAttachedImages(spec, { cwd: place.cwd, engine }),
        before: await takeSnapshot(place.cwd, { skillsFolders, isHome: place.cwd === place.home }),
        outsideBefore: place.world === null ? await takeOutsideSnapshot(place.home) : new Map(),
      }
    })
    place.calls?.take('setup')
    place.transcript.add({ type: 'user', step: 0, text: spec.prompt })
    const task = { ...buildEngineTask(request, place, skills), environment, ...(images.length > 0 && { images }) }
    await using partner = await openPartner(request)
    return { ...(await runWithTimeout(request, task, { ...place, partner })), ...before }
  } catch (error) {
    signal.throwIfAborted()
    const never = { startedAt, endedAt: new Date(), durationMs: 0, before: null }
    if (request.deadline?.aborted) return { outcome: { status: 'cancelled', report: emptyReport }, ...never }
    if (!(error instanceof SetupError)) throw error
    const failed = { kind: 'setup', message: error.message, retryable: false, retryAfterMs: null } as const
    return { outcome: { status: 'failed', error: failed, report: emptyReport }, ...never }
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
    tools: spec.activation === 'answer' ? 'none' : 'all',
    maxTurns: spec.max_turns,
    answerSchema: null,
    sessionId: randomUUID(),
    ownsHome: true,
    sandbox: place.sandbox && protectFiles(place.sandbox, listProtected(request, place, skills)),
  }
}

/** The installed skills and what the suite makes read-only, absolute. */
function listProtected({ spec }: RunRequest, { cwd }: Place, skills: readonly InstalledSkill[]): string[] {
  const ofSuite = (spec.environment?.read_only ?? []).map((name) => path.join(cwd, name))
  return [...skills.flatMap((one) => [one.path, ...(one.copies ?? [])]), ...ofSuite]
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

/** Empty for an engine that attaches none. Throws SetupError if `setup` left no such image. */
async function readAttachedImages(
  { attach = [] }: Pick<RunSpec, 'attach'>,
  { cwd, engine }: { cwd: string; engine: Pick<Engine, 'seesImages'> },
): Promise<TaskImage[]> {
  if (engine.seesImages !== 'attached') return []
  const images: TaskImage[] = []
  for (const { path: name } of attach.filter(({ image }) => image)) images.push(await readImage(cwd, name))
  return images
}

async function readImage(cwd: string, name: string): Promise<TaskImage> {
  const file = path.join(cwd, name)
  assertNoSymlinkTraps(cwd, [file])
  const info = await stat(file).catch(() => null)
  if (!info?.isFile() || info.size > imageLimits.bytes) throw changed(name)
  const content = await readFile(file)
  const mediaType = findImageType(content)
  if (mediaType === null) throw changed(name)
  return { mediaType, data: content.toString('base64'), file }
}

function changed(name: string): SetupError {
  return new SetupError(`attached file ${name}: after setup it is not an image that can be shown`)
}

/** Changes only texts that name ${CLAUDE_PLUGIN_ROOT}, and none if the parts are not a plugin's. `folder`: of the plugin's copy, as the agent sees it. */
async function fillPluginRoot(
  wanted: Environment | undefined,
  { cwd, folder, skills }: { cwd: string; folder: string; skills: readonly InstalledSkill[] },
) {
  if (wanted?.plugin === undefined) return
  const root = path.join(folder, wanted.plugin.folder)
  const texts = [
    ...wanted.agents.map((file) => path.join(cwd, '.claude/agents', file.path)),
    ...(wanted.commands ?? []).map((file) => path.join(cwd, '.claude/commands', file.path)),
    ...skills.flatMap((skill) => [skill.path, ...(skill.copies ?? [])]).map((place) => path.join(place, 'SKILL.md')),
  ]
  for (const file of texts) {
    const text = await readFile(file, 'utf8')
    if (!text.includes(variable)) continue
    const { mode } = await stat(file)
    await rm(file) // it may be read-only
    await writeFile(
      file,
      text.replaceAll(variable, () => root),
      { mode },
    )
  }
}

const variable = `\${CLAUDE_PLUGIN_ROOT}`
