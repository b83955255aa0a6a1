/** Detects that a skill was read: by a call of Claude's Skill tool, or of any tool whose input names its SKILL.md. */
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
const readsNothing = new Set(['write', 'edit', 'multiedit', 'notebookedit', 'glob', 'apply_patch'])

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

function reads(call: ToolCall, skill: InstalledSkill, skillsFolder: string): boolean {
  const texts = collectStrings(call.input)
  if (call.name.toLowerCase() === 'skill')
    return texts.some((text) => text === skill.name || text.endsWith(`:${skill.name}`))
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
