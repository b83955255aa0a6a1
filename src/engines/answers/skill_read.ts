/** Detects that a skill was read: by a call of the agent's own tool for skills, or of any tool whose input names its SKILL.md. */
import path from 'node:path'
import type { EmittedEvent, InstalledSkill } from '../engine.ts'

interface ToolCall {
  id: string
  name: string
  input: unknown
}

export interface SkillReads {
  /** A tool was called. */
  called(call: ToolCall): void
  /** The call has a result: emits an event for each skill that it read, unless it failed. */
  ended(id: string, end: { isError: boolean; step: number }): void
}

export interface SkillReadsRequest {
  skills: readonly InstalledSkill[]
  /** Where skills are, relative to the working folder. */
  skillsFolder: string
  emit: (event: EmittedEvent) => void
}

/** Tools that only name a file, or write one. */
const readsNothing = new Set([
  'write',
  'edit',
  'multiedit',
  'notebookedit',
  'glob',
  'apply_patch',
  'write_file',
  'notebook_edit',
])

/** Follows the tool calls of one run. */
export function followSkillReads({ skills, skillsFolder, emit }: SkillReadsRequest): SkillReads {
  const open = new Map<string, { via: string; names: string[] }>()
  return {
    called(call) {
      const names = skills.filter((skill) => reads(call, skill, skillsFolder)).map(({ name }) => name)
      if (names.length > 0) open.set(call.id, { via: call.name, names })
    },
    ended(id, { isError, step }) {
      const call = open.get(id)
      open.delete(id)
      if (call === undefined || isError) return
      for (const skill of call.names) emit({ type: 'skill_read', step, skill, via: call.via })
    },
  }
}

/** The skills that a call reads, by the names in its input: for records of an agent whose skills are not known. */
export function findReadSkills({ name, input }: Omit<ToolCall, 'id'>): string[] {
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
