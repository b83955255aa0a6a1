/** init --from-sessions: drafts cases and trigger queries from sessions that already happened. Asks no model: nothing leaves the machine. */
import path from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { type EvalCase, type EvalsFile, evalsFile } from '../../../../schemas/evals.ts'
import type { TranscriptEvent } from '../../../../schemas/transcript.ts'
import { UserError } from '../../../base/errors/error.ts'
import { pathExists } from '../../../base/fs/files.ts'
import { checkAs } from '../../../base/json/json.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import { writeDrafts } from '../../../flows/draft/write_drafts.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { type InitRequest, knownCases, resolveOutputFile } from '../../../flows/init/init.ts'
import { resolveSkillFolder } from '../../../flows/prepare/prepare_bench.ts'
import { isSameSkill, readSkill } from '../../../phases/1-plan/skill/read_skill.ts'
import { readSessions } from '../read_sessions.ts'
import type { RefusedFile, Session } from '../session.ts'
import { createPersonalRedactor, type PersonalRedactor } from './personal_data.ts'
import { findRecurringTasks, type RecurringTask, type SessionTask } from './recurring_tasks.ts'
import { draftSessionCase, draftSessionQueries, type SessionQuery } from './session_cases.ts'

export interface FromSessionsRequest extends Pick<InitRequest, 'skill' | 'cases' | 'output'> {
  /** Files of sessions, or folders of them. */
  places: readonly string[]
  /** Write nothing. */
  dryRun: boolean
}

export interface FromSessionsResult {
  /** Absolute; with dryRun it is not written. */
  file: string
  /** The file of the queries, absolute; null: there are none. */
  triggersFile: string | null
  /** Read sessions, each once. */
  sessions: number
  copies: number
  refused: RefusedFile[]
  evals: EvalCase[]
  queries: SessionQuery[]
  /** How often each kind of secret or personal data was removed. */
  removed: Record<string, number>
  warnings: string[]
}

/**
 * Writes all files or none, and never over another. Throws UserError if there is nothing to draft from, and the reason of
 * the abort after Ctrl-C.
 */
export async function initFromSessions(
  request: FromSessionsRequest,
  context: FlowContext,
): Promise<FromSessionsResult> {
  const { skill } = await readSkill(await resolveSkillFolder(path.resolve(request.skill)))
  const { file, root } = await resolveOutputFile(request.output, skill)
  const triggersFile = path.join(path.dirname(file), 'trigger-eval.draft.json')
  if (await pathExists(triggersFile))
    throw new UserError(
      `${triggersFile}: it already exists and is not overwritten`,
      'remove it, or write elsewhere: --output',
    )
  const { sessions, refused } = await readPlaces(request.places, context)
  const given = sessions.flatMap((session) => readSessionTask(session) ?? [])
  if (given.length === 0) throw nothingToRead(request.places, { sessions, refused })
  const places = sessions.flatMap(({ file: from, cwd }) => [from, cwd ?? ''])
  const { tasks: redacted, redactor } = redactTasks(given, { env: context.env, places })
  const { tasks, copies } = await findRecurringTasks(redacted, { onStep: () => pause(context) })
  const { chosen, warnings } = chooseTasks(tasks, { skill: skill.name, cases: request.cases })
  if (chosen.length === 0)
    throw new UserError(
      `none of the ${given.length - copies} sessions asks for a task that another one asks for, too`,
      'name more sessions: a case is drafted from a task that recurs',
    )
  const firstId = Math.max(0, ...(await knownCases(skill)).map(({ id }) => id)) + 1
  const evals = chosen.map((task, index) => draftSessionCase(task, firstId + index))
  const queries = draftSessionQueries(tasks, skill.name)
  if (queries.length === 0) warnings.push('no session read the skill: there are no trigger queries')
  const suite: EvalsFile = checkAs(evalsFile, { skill_name: skill.name, evals }, file)
  const others =
    queries.length === 0 ? [] : [{ path: path.relative(root, triggersFile), content: `${jsonText(queries, 2)}\n` }]
  if (!request.dryRun) {
    await pause(context)
    await writeDrafts({ file, root, suite }, others)
  }
  return {
    ...{ file, copies, refused, evals, queries, warnings },
    triggersFile: queries.length === 0 ? null : triggersFile,
    sessions: given.length - copies,
    removed: redactor.removed(),
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
      if (done % filesPerStep === 0) context.emit({ type: 'reading_sessions', done, total })
      await pause(context)
    })
    for (const one of read.sessions) sessions.set(`${one.file} ${one.id}`, one)
    for (const one of read.refused) refused.set(`${one.file} ${one.reason}`, one)
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

function nothingToRead(
  places: readonly string[],
  { sessions, refused }: { sessions: readonly Session[]; refused: readonly RefusedFile[] },
): UserError {
  const where = places.join(', ')
  const [first] = refused
  if (sessions.length > 0) return new UserError(`${where}: no session has a message of a person`, 'name other sessions')
  const why =
    first === undefined
      ? 'no recorded sessions'
      : `none of ${refused.length} files is a session that can be read (${first.file}: ${first.reason})`
  return new UserError(
    `${where}: ${why}`,
    'Claude Code keeps sessions in ~/.claude/projects, Codex in ~/.codex/sessions',
  )
}

/** The most frequent tasks: those in whose sessions the skill was read, or all that recur if it never was. */
function chooseTasks(
  tasks: readonly RecurringTask[],
  { skill, cases }: { skill: string; cases: number },
): { chosen: RecurringTask[]; warnings: string[] } {
  const recurring = tasks.filter(({ recurs }) => recurs)
  const own = recurring.filter(({ sessions }) =>
    sessions.some(({ skills }) => skills.some((name) => isSameSkill(name, skill))),
  )
  const fitting = own.length > 0 ? own : recurring
  return {
    chosen: fitting.slice(0, cases),
    warnings: [
      ...(own.length === 0 ? [`${skill} was read in no recurring task: the cases are of all recurring tasks`] : []),
      ...(cases < fitting.length ? [`${fitting.length - cases} rarer recurring tasks are left out (--cases)`] : []),
    ],
  }
}

const fileFields = ['file_path', 'filePath', 'path', 'absolute_path', 'notebook_path', 'filename', 'file'] as const
const writingTool = /write|edit|create|patch|replace|save/i
/** In the text of a patch, as Codex writes it. */
const patchedFile = /^\*\*\* (?:Add|Update) File: (.+)$/gm
/** A name with an ending, and no address before it. */
const namedFile = /(?<![\w@:/.-])(?:~?\/|\.{1,2}\/)?[\w-][\w./-]*\.[a-z][a-z0-9]{1,4}\b(?!\.\w|\/|@)/gi
/** Endings of addresses and names of products, which look like those of files. */
const notOfFile = /\.(?:com|org|net|io|de|dev|ai|co|uk|app)$|^(?:node|next|vue|react|express|three|d3)\.js$/i

export function readSessionTask(session: Session): SessionTask | null {
  const messages = session.events.flatMap((event) =>
    event.type === 'user' && event.text.trim() !== '' ? event.text.trim() : [],
  )
  const [first] = messages
  if (first === undefined) return null
  return {
    id: session.id,
    agent: session.agent,
    startedAt: session.startedAt,
    messages,
    answer: session.events.findLast(isAnswer)?.text.trim() ?? '',
    ...findFiles(first, session),
    skills: session.skills.read,
  }
}

function isAnswer(event: TranscriptEvent): event is Extract<TranscriptEvent, { type: 'assistant' | 'result' }> {
  return (event.type === 'assistant' || event.type === 'result') && event.text.trim() !== ''
}

/** A file that is written before it is read comes from the session. */
function findFiles(message: string, { events, cwd }: Session): Pick<SessionTask, 'files' | 'written'> {
  const files = new Set(findNamedFiles(message))
  const written = new Set<string>()
  for (const event of events) {
    if (event.type !== 'tool_call') continue
    for (const name of findInputFiles(event.input).map((given) => nameFile(given, cwd))) {
      if (writingTool.test(event.name)) written.add(name)
      else if (!written.has(name) && path.extname(name) !== '') files.add(name)
    }
  }
  return { files: [...files], written: [...written] }
}

function findNamedFiles(text: string): string[] {
  const names = text.replaceAll(/\bhttps?:\/\/\S+/g, ' ').match(namedFile) ?? []
  return names.filter((name) => !notOfFile.test(name)).map((name) => name.replace(/^\.\//, ''))
}

function findInputFiles(input: unknown): string[] {
  if (typeof input === 'string') return [...input.matchAll(patchedFile)].flatMap(([, name]) => name?.trim() || [])
  if (typeof input !== 'object' || input === null) return []
  const values = Object.entries(input)
  return values.flatMap(([field, value]) => {
    if (typeof value !== 'string' || value === '') return []
    return fileFields.some((name) => name === field) ? [value] : findInputFiles(value)
  })
}

/** Relative to the working folder; of a file elsewhere only its name. */
function nameFile(file: string, cwd: string | null): string {
  if (!path.isAbsolute(file)) return file.replace(/^\.\//, '')
  const relative = cwd === null ? '..' : path.relative(cwd, file)
  return relative.startsWith('..') ? path.basename(file) : relative
}

/** The tasks without secrets and personal data, and the redactor for texts that come later. `env`: the user's, whose own keys and name are removed. Names of skills stay, because queries need them. */
export function redactTasks(
  given: readonly SessionTask[],
  { env, places }: { env: Readonly<Record<string, string | undefined>>; places: readonly string[] },
): { tasks: SessionTask[]; redactor: PersonalRedactor } {
  const texts = [...places, ...given.flatMap((one) => [...one.messages, one.answer, ...one.files, ...one.written])]
  const redactor = createPersonalRedactor(env, texts)
  const { text } = redactor
  const tasks = given.map((one) => ({
    ...one,
    id: one.id.replaceAll(/[^\w.:-]/g, '-'),
    messages: one.messages.map(text),
    answer: text(one.answer),
    files: one.files.map(text),
    written: one.written.map(text),
  }))
  return { tasks, redactor }
}
