/** An improve session on disk, in history.json and versions/; a resumed session continues from there. No version may change later. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import type { SessionPlan, Split } from '../../../../schemas/history/session.ts'
import { type History, history as historySchema, type Iteration } from '../../../../schemas/history.ts'
import type { Skill, Suite } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { hashWalk, pathExists } from '../../../base/fs/files.ts'
import { readJson, readText, tryParseJson } from '../../../base/json/json.ts'
import { listSkillFiles } from '../../../phases/1-plan/skill/read_skill.ts'
import { improvePaths } from '../../../store/paths.ts'
import { isSignedFile, type ResultSigner, writeSigned } from '../../../store/signing/signer.ts'
import type { FlowContext } from '../../flow_context.ts'
import type { SharedBudgets } from '../../limits/limits.ts'
import { type BenchStepResult, benchVersions, type VersionsStep } from '../../versions/bench_versions.ts'
import { writeVersion } from '../../versions/replace_skill.ts'
import { refuseChangedSettings } from '../../workspace/changed_settings.ts'
import type { ImproveRequest } from '../improve_request.ts'

export interface ImproveSession {
  request: ImproveRequest
  /** The author's version. */
  skill: Skill
  suite: Suite
  workspace: string
  history: History
  split: Split
  plan: SessionPlan
  /** Nothing of it is on disk yet; existing files belong to an earlier session. */
  isNew: boolean
  budgets: SharedBudgets
  signer: ResultSigner
  /** Benchmarks on training cases, absolute, oldest first: the proposers read their runs. */
  seen: string[]
}

/** Settings that a resume must not change. */
function pickSettings(request: ImproveRequest) {
  const { bench, seed, totalRuns, goal, margins, proposer, certifyJudge, useDrafts, descriptionBy } = request
  const { engine, model, judge, timeoutSeconds, maxTurns, activation } = bench
  return {
    ...{ engine, model, judge, timeoutSeconds, maxTurns, activation },
    ...{ seed, totalRuns, goal, margins, proposer, certifyJudge, useDrafts },
    ...(descriptionBy !== undefined && { description: true, among: bench.among ?? [] }),
  }
}

/** The history to continue, or a new one; an ended session stays in place. Throws UserError. */
export async function openHistory(
  request: ImproveRequest,
  skill: Skill,
  at: { workspace: string; now: Date; signer: ResultSigner },
): Promise<Pick<ImproveSession, 'history' | 'isNew'>> {
  const paths = improvePaths(at.workspace)
  const isThere = (await pathExists(paths.history)) && !(await isOfEarlierRelease(paths.history, request))
  const found = isThere ? await readJson(historySchema, paths.history) : null
  const isOwn = isSignedFile(paths.history, at.signer)
  const isOpen = isOwn && found !== null && found.ended_at === undefined && found.split !== undefined
  if (request.resume && found !== null && !isOwn) {
    throw new UserError(
      `${paths.history}: no signature of yours`,
      'remove --resume: a new session moves it to sessions/',
    )
  }
  if (request.resume) return { history: resumeHistory(found, request, at.workspace), isNew: false }
  if (isOpen && request.replaceUnfinished !== true) {
    throw new UserError(
      `${paths.history}: unfinished session`,
      'continue it with --resume, or choose another folder with --workspace',
    )
  }
  const history: History = {
    started_at: at.now.toISOString(),
    skill_name: skill.name,
    current_best: 'v0',
    iterations: [],
    schema_version: 2,
    settings: pickSettings(request),
    rounds: [],
  }
  return { history, isNew: true }
}

/** Such a session can't go on, and a new one moves it. Throws UserError with --resume. */
async function isOfEarlierRelease(file: string, { resume }: ImproveRequest): Promise<boolean> {
  const isEarlier = earlierHistory.safeParse(tryParseJson(await readText(file))).success
  if (isEarlier && resume) {
    throw new UserError(
      `${file}: a session of an earlier release of Whetstone`,
      'remove --resume: a new session moves it to sessions/',
    )
  }
  return isEarlier
}

const earlierHistory = z.object({ schema_version: z.literal(1) })

function resumeHistory(found: History | null, request: ImproveRequest, workspace: string): History {
  if (found === null) throw new UserError(`${workspace}: no session to resume`, 'remove --resume')
  refuseChangedSettings('session', { ...Object(found.settings) }, pickSettings(request))
  if (found.ended_at !== undefined) return found // the held-out cases were used, so the session has ended for good
  const { stopped: _, ...rest } = found
  return rest
}

export async function recordProgress(session: ImproveSession, changes: Partial<History>): Promise<void> {
  session.history = { ...session.history, ...changes }
  const file = improvePaths(session.workspace).history
  await writeSigned(historySchema, { file }, { value: session.history, signer: session.signer })
}

/** The version that the next edits are written for: the newest. */
export function findHead({ iterations }: Pick<History, 'iterations'>): Iteration {
  return iterations.at(-1) ?? { version: 'v0', parent: null, ...noRate }
}

const noRate = { expectation_pass_rate: null, grading_result: 'baseline', is_current_best: true } as const

/** How a version did against the one before, by their rates on the same cases. */
export function compareRates(rate: number, before: number): 'won' | 'lost' | 'tie' {
  return rate === before ? 'tie' : rate > before ? 'won' : 'lost'
}

export function openImproveSession(parts: Omit<ImproveSession, 'seen'>): ImproveSession {
  const { rounds = [] } = parts.history
  const seen = rounds.flatMap(({ benchmarks: { shown, mixes } }) => [...shown, ...(mixes === undefined ? [] : [mixes])])
  return { ...parts, seen: seen.map((folder) => path.join(parts.workspace, folder)) }
}

/** Emits the loop's progress. */
export function emitImproveStep(
  context: FlowContext,
  step: {
    round: number
    step:
      | 'session'
      | 'show'
      | 'propose'
      | 'refused'
      | 'mix'
      | 'version'
      | 'certify'
      | 'certified'
      | 'confirm'
      | 'stopped'
    version: string | null
    message: string
  },
): void {
  context.emit({ type: 'improve_step', ...step })
}

/** Writes v0, unless the session already did before an interruption; returns its hash. */
export async function writeFirstVersion({ skill, workspace }: ImproveSession): Promise<string> {
  const { versions, version } = improvePaths(workspace)
  await mkdir(versions, { recursive: true })
  const first = version('v0')
  if (!existsSync(path.join(first, 'SKILL.md'))) await writeVersion((await listSkillFiles(skill.path)).files, first)
  return await hashSkillFolder(first)
}

/**
 * Checks a session before it resumes. Throws UserError for a needed version that is missing or changed; warns if the skill differs from
 * v0.
 */
export async function checkVersions(
  { skill, workspace, history }: ImproveSession,
  context: FlowContext,
): Promise<void> {
  const { version } = improvePaths(workspace)
  const needed = new Set(['v0', findHead(history).version])
  for (const { version: name, skill_sha256: then } of history.iterations) {
    if (!needed.has(name) || then === undefined) continue
    const folder = version(name)
    const now = existsSync(folder) ? await hashSkillFolder(folder) : null
    if (now === then) continue
    const how = now === null ? 'it is gone' : 'it has changed since the session wrote it'
    throw new UserError(`${folder}: ${how}`, 'restore it, or start another session in another --workspace')
  }
  const first = version('v0')
  if (!existsSync(first) || (await hashSkillFolder(first)) === skill.sha256) return
  const message =
    'the skill has changed since this session was started: v0 stays what it was then, and --apply will not overwrite your changes'
  emitImproveStep(context, { round: 0, step: 'session', version: 'v0', message })
}

async function hashSkillFolder(folder: string): Promise<string> {
  return await hashWalk((await listSkillFiles(folder)).files)
}

/** Throws StepStopped, or what bench throws. */
export async function runBenchStep(
  { request: { bench, descriptionBy }, workspace, skill, budgets, history }: ImproveSession,
  step: VersionsStep,
  context: FlowContext,
): Promise<BenchStepResult> {
  const { version } = improvePaths(workspace)
  const early = descriptionBy === undefined ? {} : { stopAt: 'skill_read' as const }
  const place = { bench, workspace, skill, budgets, since: history.started_at, ...early }
  const folders = { candidate: version(step.candidate), against: version(step.against) }
  return await benchVersions(place, { ...step, ...folders }, context)
}
