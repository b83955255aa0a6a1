/** mine: drafts cases and trigger queries from sessions that already happened, into a new folder. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { type EvalCase, type EvalsFile, evalsFile } from '../../../schemas/evals.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { writeAllAtomic } from '../../base/fs/durable_files.ts'
import { checkAs } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'
import type { CallUsage } from '../../engines/ask/cost_meter.ts'
import { draftMinedCase } from '../../phases/1-plan/mine/draft_mined_cases.ts'
import { draftMinedQueries, type MinedQueries } from '../../phases/1-plan/mine/mined_queries.ts'
import { type MinedReport, writeMinedReport } from '../../phases/1-plan/mine/mined_report.ts'
import { findMinedTasks, type MinedTask } from '../../phases/1-plan/mine/recurring_tasks.ts'
import type { SessionTask } from '../../phases/1-plan/mine/session_task.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { isSameSkill } from '../../phases/1-plan/triggers/labels.ts'
import type { FlowContext } from '../flow_context.ts'
import { resolveSkillFolder } from '../prepare/prepare_bench.ts'
import { readSessions } from '../sessions/read_sessions.ts'
import type { RefusedFile, Session } from '../sessions/session.ts'
import type { PhrasingWish } from './phrase_cases.ts'
import { readSessionTask } from './read_session_task.ts'
import { redactTasks } from './redact_tasks.ts'

export interface MineRequest {
  /** Files of sessions, or folders of them. */
  places: readonly string[]
  /** Folder of the skill that the drafts are for; null: all skills that were read. */
  skill: string | null
  /** The new folder; null: ./mined. */
  out: string | null
  /** Sessions from which on a task recurs. */
  minCount: number
  /** null: a case for each recurring task. */
  maxCases: number | null
  /** Only sessions from this time on; null: all. */
  since: Date | null
  /** Write nothing, ask no model. */
  dryRun: boolean
  /** The model that phrases expectations; null: none is asked. */
  model: PhrasingWish | null
}

export interface MineResult {
  /** Absolute paths of the files, in the order of writing. With dryRun they are not written. */
  files: string[]
  sessions: number
  copies: number
  refused: RefusedFile[]
  leftOut: Record<string, number>
  tasks: readonly MinedTask[]
  evals: EvalCase[]
  queries: MinedQueries
  removed: Record<string, number>
  warnings: string[]
  /** Of the model; null: none was asked. */
  spent: CallUsage | null
  /** Why the model did not phrase all; null: it did, or was not asked. */
  missing: string | null
}

const [evalsName, triggersName, reportName] = ['evals.json', 'triggers.json', 'report.md'] as const

/**
 * Writes all files or none, and never over another. Throws UserError if there is nothing to draft from, and the reason of
 * the abort after Ctrl-C.
 */
export async function mine(request: MineRequest, context: FlowContext): Promise<MineResult> {
  const folder = path.resolve(request.out ?? 'mined')
  refuseExisting(folder)
  const skill =
    request.skill === null ? null : (await readSkill(await resolveSkillFolder(path.resolve(request.skill)))).skill
  const { sessions, refused } = await readPlaces(request.places, context)
  const { given, leftOut } = selectSessions(sessions, request)
  if (given.length === 0) throw nothingToMine(request, { sessions, refused, leftOut })
  const { tasks: redacted, redactor } = redactTasks(given, {
    env: context.env,
    places: sessions.flatMap(({ file, cwd }) => [file, cwd ?? '']),
  })
  context.emit({ type: 'mining', step: 'comparing', done: 0, total: redacted.length })
  const { tasks, copies } = await findMinedTasks(redacted, { minCount: request.minCount, onStep: () => pause(context) })
  const { chosen, warnings } = chooseTasks(tasks, { skill, maxCases: request.maxCases })
  const phrased = await phrase(
    chosen.map((task, index) => ({ task, case: draftMinedCase(task, index + 1) })),
    { request, context, text: redactor.text },
  )
  const queries = draftMinedQueries(tasks, skill?.name ?? null)
  const isRouting = tasks.some((one) => one.sessions.some(({ skills }) => skills.length > 0))
  if (!isRouting)
    warnings.push(
      `no session read ${skill === null ? 'a skill' : 'a skill, not even this one'}: there are no trigger queries`,
    )
  const removed = redactor.removed()
  const result: MineResult = {
    ...{ files: [], sessions: redacted.length - copies, copies, refused, leftOut, tasks, removed, warnings },
    evals: phrased.cases.map((one) => one.case),
    queries: isRouting ? queries : { queries: [], unclear: [] },
    ...{ spent: phrased.spent, missing: phrased.missing },
  }
  const report: MinedReport = {
    ...result,
    skill: skill?.name ?? null,
    drafted: phrased.cases,
    refused: refused.map(({ file, reason }) => ({
      file: redactor.text(path.basename(file)),
      reason: redactor.text(reason),
    })),
  }
  const texts = writeTexts(report, skill)
  if (!request.dryRun) {
    await pause(context)
    refuseExisting(folder)
    await writeAllAtomic(folder, texts)
  }
  return { ...result, files: texts.map(([name]) => path.join(folder, name)) }
}

function refuseExisting(folder: string): void {
  for (const name of [evalsName, triggersName, reportName]) {
    const file = path.join(folder, name)
    if (existsSync(file))
      throw new UserError(`${file}: it already exists and is not overwritten`, 'write elsewhere: --out DIR')
  }
}

async function readPlaces(
  places: readonly string[],
  context: FlowContext,
): Promise<{ sessions: Session[]; refused: RefusedFile[] }> {
  const sessions = new Map<string, Session>()
  const refused = new Map<string, RefusedFile>()
  for (const place of places) {
    const read = await readSessions(place, async (done, total) => {
      if (done % filesPerStep === 0) context.emit({ type: 'mining', step: 'reading', done, total })
      await pause(context)
    })
    for (const one of read.sessions) sessions.set(one.file, one)
    for (const one of read.refused) refused.set(one.file, one)
  }
  return { sessions: [...sessions.values()], refused: [...refused.values()] }
}

/** How often reading reports its progress. */
const filesPerStep = 100

/** Lets a Ctrl-C arrive, and then rejects: nothing has been written. */
async function pause({ drain, signal }: FlowContext): Promise<void> {
  await immediate()
  drain.throwIfAborted()
  signal.throwIfAborted()
}

function selectSessions(
  sessions: readonly Session[],
  { since }: MineRequest,
): { given: SessionTask[]; leftOut: Record<string, number> } {
  const leftOut: Record<string, number> = {}
  const leave = (reason: string) => {
    leftOut[reason] = (leftOut[reason] ?? 0) + 1
    return []
  }
  const given = sessions.flatMap((session): SessionTask[] => {
    if (since !== null && session.startedAt === null) return leave('they have no date, and --since asks for one')
    if (since !== null && Date.parse(session.startedAt ?? '') < since.getTime())
      return leave('they are older than --since')
    const task = readSessionTask(session)
    return task === null ? leave('they have no message of a person') : [task]
  })
  return { given, leftOut }
}

function nothingToMine(
  { places }: MineRequest,
  {
    sessions,
    refused,
    leftOut,
  }: { sessions: readonly Session[]; refused: readonly RefusedFile[]; leftOut: Record<string, number> },
): UserError {
  const where = places.join(', ')
  const [first] = refused
  if (sessions.length > 0) {
    const reasons = Object.entries(leftOut).map(([reason, count]) => `${count} left out: ${reason}`)
    return new UserError(
      `${where}: ${sessions.length === 1 ? "its only session can't be used" : `none of its ${sessions.length} sessions can be used`} (${reasons.join('; ')})`,
      'name other sessions, or change --since',
    )
  }
  if (first !== undefined)
    return new UserError(
      `${where}: none of ${refused.length} files is a session that can be read (${first.file}: ${first.reason})`,
      knownPlaces,
    )
  return new UserError(`${where}: no recorded sessions`, knownPlaces)
}

const knownPlaces = 'Claude Code keeps sessions in ~/.claude/projects, Codex in ~/.codex/sessions'

/** Recurring tasks for cases. With a skill: those in which it was read, or all of them if it never was. */
function chooseTasks(
  tasks: readonly MinedTask[],
  { skill, maxCases }: { skill: Skill | null; maxCases: number | null },
): { chosen: MinedTask[]; warnings: string[] } {
  const recurring = tasks.filter(({ recurs }) => recurs)
  const isRead = ({ sessions }: MinedTask) =>
    skill === null || sessions.some(({ skills }) => skills.some((name) => isSameSkill(name, skill.name)))
  const own = recurring.filter(isRead)
  const fitting = own.length > 0 ? own : recurring
  const chosen = fitting.slice(0, maxCases ?? fitting.length)
  return {
    chosen,
    warnings: [
      ...(recurring.length === 0 ? ['no task recurs: there are no cases'] : []),
      ...(own.length === 0 && recurring.length > 0
        ? [`${skill?.name} was read in no recurring task: the cases are of all recurring tasks`]
        : []),
      ...(chosen.length < fitting.length
        ? [`${fitting.length - chosen.length} rarer recurring tasks are left out (--max-cases)`]
        : []),
    ],
  }
}

type Drafted = MinedReport['drafted']

async function phrase(
  drafted: Drafted,
  { request, context, text }: { request: MineRequest; context: FlowContext; text: (text: string) => string },
): Promise<{ cases: Drafted; spent: CallUsage | null; missing: string | null }> {
  if (request.model === null || request.dryRun || drafted.length === 0)
    return { cases: drafted, spent: null, missing: null }
  const { phraseCases } = await import('./phrase_cases.ts')
  const signal = AbortSignal.any([context.drain, context.signal])
  return await phraseCases(drafted, { wish: request.model, text }, { ...context, signal })
}

/** A file without content is not written. */
function writeTexts(report: MinedReport, skill: Skill | null): [name: string, text: string][] {
  const { drafted, queries } = report
  const skill_name =
    skill?.name ?? report.tasks.flatMap((one) => one.sessions.flatMap(({ skills }) => skills))[0] ?? 'mined'
  const suite: EvalsFile | null =
    drafted.length === 0 ? null : checkAs(evalsFile, { skill_name, evals: drafted.map((one) => one.case) }, evalsName)
  return [
    ...(suite === null ? [] : [[evalsName, `${jsonText(suite, 2)}\n`] satisfies [string, string]]),
    ...(queries.queries.length === 0
      ? []
      : [[triggersName, `${jsonText(queries.queries, 2)}\n`] satisfies [string, string]]),
    [reportName, writeMinedReport(report)],
  ]
}
