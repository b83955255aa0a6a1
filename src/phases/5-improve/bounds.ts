/** How much one proposal may change, and how large a skill may become. */
import { changedFiles, type SkillEdit } from './skill_edit.ts'

export const bounds = {
  /** Of one proposal. */
  files: 8,
  lines: 300,
  /** Of the skill. */
  skillLines: 500,
  growth: 2,
  growthBytes: 8192,
  bytes: 2 * 1024 * 1024,
} as const

/** Why the edit is refused; null: it keeps within the bounds. */
export function boundsBroken(edit: SkillEdit): string | null {
  const changed = changedFiles(edit)
  if (changed.length > bounds.files) return `it changes ${changed.length} files (at most ${bounds.files} in one step)`
  const lines = changed.reduce((sum, one) => sum + one.lines_added + one.lines_removed, 0)
  if (lines > bounds.lines) return `it adds and removes ${lines} lines (at most ${bounds.lines} in one step)`
  const sizeOf = (files: SkillEdit['after']) => files.reduce((sum, { bytes }) => sum + bytes, 0)
  const [was, is] = [sizeOf(edit.before), sizeOf(edit.after)]
  if (is > bounds.bytes) return `the skill would have ${is} bytes (at most ${bounds.bytes})`
  if (is > was * bounds.growth + bounds.growthBytes) {
    return `the skill would grow from ${was} to ${is} bytes (at most to the double and ${bounds.growthBytes} more)`
  }
  const body = edit.after.find(({ path }) => path === 'SKILL.md')?.text ?? ''
  const had = edit.before.find(({ path }) => path === 'SKILL.md')?.text ?? ''
  const [count, before] = [body, had].map((text) => text.split('\n').length)
  if (count !== undefined && before !== undefined && count > Math.max(bounds.skillLines, before)) {
    return `SKILL.md would have ${count} lines (at most ${bounds.skillLines}); long matter belongs into references/`
  }
  return null
}
