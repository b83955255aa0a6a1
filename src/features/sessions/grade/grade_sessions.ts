/** grade --session: grades sessions that already happened, as the runs of a benchmark that compares and does not test. */
import { rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { LoadWarning, Skill, Suite } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { type Estimate, estimateBench } from '../../../flows/estimate/estimate_bench.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { type GradeAgainRequest, grade } from '../../../flows/grade/grade.ts'
import { createAutoEngine, resolveJudgingOptions } from '../../../flows/prepare/choose_engine.ts'
import type { BenchResult } from '../../../flows/report/summarize.ts'
import { readSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { hashSuite, loadSuite } from '../../../phases/1-plan/suite/load_suite.ts'
import { formatPlural } from '../../../phases/4-report/text/format.ts'
import { chooseWorkspace } from '../../../store/choose_workspace.ts'
import { findSigner } from '../../../store/signing/signer.ts'
import { createBenchmark, writePlan } from '../../../store/store.ts'
import { readSessions } from '../read_sessions.ts'
import type { ReadSessions, Session } from '../session.ts'
import { type AssignedCases, type AssignedSession, assignCases, chooseEngine, planSessions } from './plan_sessions.ts'
import { type PlannedSession, writeSession } from './write_session.ts'

export interface GradeSessionsRequest extends Omit<GradeAgainRequest, 'benchmark'> {
  /** A file, or a folder of files. */
  session: string
  /** The suite, or a folder with one; null: that of the skill, or none. */
  suite: string | null
  /** Statements for sessions without a case. */
  expect: readonly string[]
  /** The skill's folder; null: that of the suite, or the sessions are not compared. */
  skill: string | null
  /** The folder as the one session left it; null: not known. */
  files: string | null
  /** null: ./workspaces/<skill_name>. */
  workspace: string | null
}

export interface PreparedSessions {
  plan: ReturnType<typeof planSessions>['plan']
  sessions: PlannedSession[]
  workspace: string
  leftOut: { file: string; reason: string }[]
  /** Records of the planned sessions that were not read. */
  unread: { count: number; of: number; first: string | null }
  estimate: Estimate['judge']
}

export interface GradedSessions {
  result: BenchResult
  prepared: PreparedSessions
}

/** Reads and plans; writes nothing. Throws UserError if there is no session to grade. */
export async function prepareSessions(request: GradeSessionsRequest, context: FlowContext): Promise<PreparedSessions> {
  const { suite, skill } = await readSuiteAndSkill(request)
  if (suite === null && request.expect.length === 0) {
    throw new UserError(
      '--session: no statements to grade by',
      'add --suite with the cases, --skill with a skill that has some, or --expect "a statement"',
    )
  }
  const found = await readSessions(request.session)
  requireSessions(request.session, found)
  await checkFiles(request, found.sessions)
  const { assigned, unmatched, ungradable, leftOutStatements } = assignCases(found.sessions, suite, request)
  if (assigned.length === 0) throw nothingMatches(request, { unmatched, ungradable })
  const engine = chooseEngine(found.sessions[0] ?? { agent: 'atif', model: null })
  const judge = assigned.some(({ one }) => one.expectations.length > 0)
    ? await createAutoEngine(context).judge(request.judge, engine, [])
    : null
  const own = suite ?? createOwnSuite(request, skill)
  const { plan, sessions } = planSessions({
    assigned,
    suite: own,
    suiteSha256: suite === null ? '' : await hashSuite(suite),
    skill,
    options: {
      ...{ engine, judge, timeout_seconds: 600, max_turns: null, activation: 'natural' },
      ...{ on_timeout: 'fail', retries: 0 },
      ...resolveJudgingOptions(request.judging),
    },
    createdAt: context.now().toISOString(),
    warnings: [...explainUnsaid(leftOutStatements, assigned.length), ...unknownOffers(assigned, skill)],
  })
  const workspace = chooseWorkspace(request.workspace, plan.skill.name)
  const reused = new Map(plan.runs.map(({ run_id }) => [run_id, { graded: false }]))
  const { concurrency, judgeBatch } = request
  const known = { concurrency, judgeBatch, folder: null, reused, again: new Set<string>(), prices: context.prices }
  const { judge: estimate } = await estimateBench({ plan, workspace }, known)
  const leftOut = [
    ...found.refused,
    ...unmatched.map(({ file }) => ({ file, reason: 'its first message is not the prompt of a case' })),
    ...ungradable.map(({ file }) => ({ file, reason: ungradableReason })),
  ]
  return { plan, sessions, workspace, leftOut, unread: countUnread(sessions), estimate }
}

/** Writes the sessions as runs, and grades them. What it wrote is removed if grading can't start. */
export async function gradeSessions(request: GradeSessionsRequest, context: FlowContext): Promise<GradedSessions> {
  const prepared = await prepareSessions(request, context)
  const folder = await createBenchmark(prepared.workspace, context.now(), 'recorded')
  try {
    for (const one of prepared.sessions) await writeSession(folder, one, { files: request.files, context })
    await writePlan(folder, prepared.plan, findSigner(context.env))
    const result = await grade({ ...request, judge: null, cases: [], benchmark: folder }, context)
    return { result, prepared }
  } catch (error) {
    if (error instanceof UserError) await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function readSuiteAndSkill(request: GradeSessionsRequest): Promise<{ suite: Suite | null; skill: Skill | null }> {
  const folder = request.skill === null ? null : path.resolve(request.skill)
  const place = request.suite ?? (request.expect.length > 0 ? null : folder)
  const suite = place === null ? null : await loadSuite(place, folder ?? undefined)
  const root = folder ?? suite?.root ?? null
  const isSkill = root !== null && (folder !== null || (await pathExists(path.join(root, 'SKILL.md'))))
  return { suite, skill: isSkill ? (await readSkill(root)).skill : null }
}

/** For statements of the user's own: there is no file of a suite. */
function createOwnSuite({ session }: GradeSessionsRequest, skill: Skill | null): Suite {
  return { format: 'none', path: '', skill_name: skill?.name ?? path.parse(session).name, cases: [], warnings: [] }
}

function requireSessions(place: string, { sessions, refused }: ReadSessions): void {
  if (sessions.length > 0) return
  const [first] = refused
  if (first !== undefined) throw new UserError(`${first.file}: ${first.reason}`, 'give a session with a conversation')
  throw new UserError(
    `${place}: no sessions found`,
    'give a folder such as ~/.claude/projects or ~/.codex/sessions, or a file of a session',
  )
}

async function checkFiles({ files }: GradeSessionsRequest, sessions: readonly Session[]): Promise<void> {
  if (files === null) return
  if (sessions.length > 1) {
    throw new UserError(`--files: ${sessions.length} sessions, and one folder`, 'give the file of one session')
  }
  const found = await stat(files).catch(() => null)
  if (found?.isDirectory() !== true)
    throw new UserError(`--files ${files}: not a folder`, 'give the folder that the session left')
}

const ungradableReason = 'its case has no statement about a message of this session'

function nothingMatches(
  { session }: GradeSessionsRequest,
  { unmatched, ungradable }: Pick<AssignedCases, 'unmatched' | 'ungradable'>,
): UserError {
  const [first] = unmatched
  if (ungradable.length > 0)
    return new UserError(`${session}: nothing to grade: ${ungradableReason}`, 'add a statement to the case')
  const said = first?.events.find(({ type }) => type === 'user')
  const shown = said?.type === 'user' ? ` (the first begins: "${said.text.slice(0, 60).replaceAll(/\s+/g, ' ')}")` : ''
  return new UserError(
    `${session}: no session begins with the prompt of a case${shown}`,
    'name the case whose statements hold with --case, or give statements with --expect',
  )
}

function explainUnsaid(statements: number, sessions: number): LoadWarning[] {
  if (statements === 0) return []
  const message = `${formatPlural(statements, 'statement')} over ${formatPlural(sessions, 'session')} left out: about messages that the person did not write`
  return [{ file: '--session', at: '', message }]
}

/** A session that does not say what was offered counts as without the skill unless it read it. */
function unknownOffers(assigned: readonly AssignedSession[], skill: Skill | null): LoadWarning[] {
  const unknown = assigned.filter(({ session }) => session.skills.offered === null).length
  if (skill === null || unknown === 0) return []
  const message = `${unknown} of ${assigned.length} sessions do not say which skills were offered: they count as without the skill unless they read it`
  return [{ file: '--session', at: '', message }]
}

function countUnread(sessions: readonly PlannedSession[]): PreparedSessions['unread'] {
  const all = sessions.map(({ session }) => session)
  const [first] = all.filter(({ unread }) => unread.count > 0)
  return {
    count: all.reduce((sum, { unread }) => sum + unread.count, 0),
    of: all.reduce((sum, { records }) => sum + records, 0),
    first: first === undefined ? null : `${first.file}, ${first.unread.first}`,
  }
}
