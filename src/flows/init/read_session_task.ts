/** What a recorded session says about its task: the person's messages, the files and the last answer. Removes secrets and personal data from it. */
import path from 'node:path'
import type { TranscriptEvent } from '../../../schemas/transcript.ts'
import { createPersonalRedactor, type PersonalRedactor } from '../../base/secrets/personal_data.ts'
import type { SessionTask } from '../../phases/1-plan/draft/recurring_tasks.ts'
import type { Session } from '../sessions/session.ts'

/** Fields of a tool's input that name a file. */
const fileFields = ['file_path', 'filePath', 'path', 'absolute_path', 'notebook_path', 'filename', 'file'] as const
const writingTool = /write|edit|create|patch|replace|save/i
/** In the text of a patch, as Codex writes it. */
const patchedFile = /^\*\*\* (?:Add|Update) File: (.+)$/gm
/** A name with an ending, and no address before it. */
const namedFile = /(?<![\w@:/.-])(?:~?\/|\.{1,2}\/)?[\w-][\w./-]*\.[a-z][a-z0-9]{1,4}\b(?!\.\w|\/|@)/gi
/** Endings of addresses and names of products, which look like those of files. */
const notOfFile = /\.(?:com|org|net|io|de|dev|ai|co|uk|app)$|^(?:node|next|vue|react|express|three|d3)\.js$/i

/** null: the session has no message of a person. */
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
