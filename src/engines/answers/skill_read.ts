/** Detects that a skill was read: by a call of the agent's own tool for skills, or of any tool whose input names its SKILL.md. A run may end there. */
import path from 'node:path'
import { toJsonValue } from '../cli/json_line.ts'
import {
  type EmittedEvent,
  type Engine,
  type EngineContext,
  type EngineOutcome,
  type EngineTask,
  emptyReport,
  type InstalledSkill,
} from '../engine.ts'
import { completeRun } from './run_outcome.ts'

type ToolCall = Omit<Extract<EmittedEvent, { type: 'tool_call' }>, 'input'> & { input: unknown }

/** An event as a stream has it: the input of a call may be any value. */
type StreamEvent = Exclude<EmittedEvent, { type: 'tool_call' }> | ToolCall

export type EmitStream = (event: StreamEvent) => void

export interface SkillReadsRequest {
  skills: readonly InstalledSkill[]
  /** Where skills are, relative to the working folder. */
  skillsFolder: string
  emit: (event: EmittedEvent) => void
}

/** Tools that only name a file, or write one, and Whetstone's own for the answer. */
const readsNothing = new Set([
  'write',
  'edit',
  'multiedit',
  'notebookedit',
  'glob',
  'apply_patch',
  'write_file',
  'notebook_edit',
  'request_user_input',
  'submit',
])

/** Emits the events of one run. After the result of a call that did not fail comes an event for each skill that it read. */
export function followSkillReads({ skills, skillsFolder, emit }: SkillReadsRequest): EmitStream {
  const open = new Map<string, { via: string; names: string[] }>()
  return (event) => {
    if (event.type === 'tool_call') {
      emit({ ...event, input: toJsonValue(event.input) })
      const names = skills.filter((skill) => reads(event, skill, skillsFolder)).map(({ name }) => name)
      if (names.length > 0) open.set(event.id, { via: event.name, names })
      return
    }
    emit(event)
    if (event.type !== 'tool_result') return
    const call = open.get(event.id)
    open.delete(event.id)
    if (call === undefined || event.is_error) return
    for (const skill of call.names) emit({ type: 'skill_read', step: event.step, skill, via: call.via })
  }
}

/** The skills that a call reads, by the names in its input: for records of an agent whose skills are not known. */
export function findReadSkills({ name, input }: Pick<ToolCall, 'name' | 'input'>): string[] {
  const texts = collectStrings(input)
  if (isSkillTool(name)) return texts.slice(0, 1).map((text) => text.replace(/^.*:/, ''))
  if (readsNothing.has(name.toLowerCase())) return []
  const found = texts.flatMap((text) =>
    [...text.matchAll(/([\w.-]+)[/\\]SKILL\.md\b/g)].flatMap(([, folder]) => folder ?? []),
  )
  return [...new Set(found)]
}

function isSkillTool(name: string): boolean {
  return /^(?:activate_)?skill$/i.test(name)
}

function reads(call: ToolCall, skill: InstalledSkill, skillsFolder: string): boolean {
  const texts = collectStrings(call.input)
  if (isSkillTool(call.name)) return texts.some((text) => text === skill.name || text.endsWith(`:${skill.name}`))
  if (readsNothing.has(call.name.toLowerCase())) return false
  const folders = [
    skill.path,
    ...(skill.copies ?? []),
    path.posix.join(skillsFolder, skill.name),
    path.posix.join(skillsFolder, '*'),
  ]
  return texts.some((text) => /\bSKILL\.md\b/.test(text) && folders.some((folder) => namesFolder(text, folder)))
}

/** Whether the text names exactly this folder: `skills/pdf-forms/SKILL.md` does not name `skills/pdf`. */
function namesFolder(text: string, folder: string): boolean {
  for (let at = text.indexOf(folder); at >= 0; at = text.indexOf(folder, at + 1)) {
    if (!/[\w-]/.test(text[at + folder.length] ?? '')) return true
  }
  return false
}

function collectStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap(collectStrings)
}

/** The stop reason in the record of such a run. */
export const readStop = 'skill_read'

/** `skill` null: any of the installed ones. The engine is then aborted, as on a timeout; its caller sees a run that completed. */
export function stopAtRead(engine: Engine, skill: string | null): Engine {
  return { ...engine, run: (task, context) => runUntilRead(engine, { task, context, skill }) }
}

interface UntilReadRequest {
  task: EngineTask
  context: EngineContext
  skill: string | null
}

async function runUntilRead(engine: Engine, { task, context, skill }: UntilReadRequest): Promise<EngineOutcome> {
  const known = new AbortController()
  const read = { step: 0 }
  let soFar = () => Promise.resolve(emptyReport)
  const own: EngineContext = {
    ...context,
    signal: AbortSignal.any([context.signal, known.signal]),
    soFar(report) {
      soFar = report
      context.soFar?.(report)
    },
    emit(event) {
      // the run is being ended: what the agent still does is not part of it
      if (known.signal.aborted) return
      context.emit(event)
      if (event.type !== 'skill_read' || (skill !== null && event.skill !== skill)) return
      read.step = event.step
      known.abort(new Error(`${event.skill} was read`))
    },
  }
  const end = (report: EngineOutcome['report']) => completeRun(context, { ...report, stopReason: readStop }, read.step)
  try {
    const outcome = await engine.run(task, own)
    return known.signal.aborted ? end(outcome.report) : outcome
  } catch (error) {
    context.signal.throwIfAborted()
    if (!known.signal.aborted) throw error
    return end(await soFar())
  }
}
