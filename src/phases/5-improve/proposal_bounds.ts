/** The limits of one proposal, and of the size of a skill. */
import { changedFiles, type SkillEdit } from './skill_edit.ts'

export const proposalBounds = {
  /** Per proposal. */
  files: 8,
  lines: 300,
  /** For the whole skill. */
  skillLines: 500,
  growth: 2,
  growthBytes: 8192,
  bytes: 2 * 1024 * 1024,
} as const

/** Why the edit is refused; null: it is within the bounds. */
export function findBrokenBound(edit: SkillEdit): string | null {
  const changed = changedFiles(edit)
  if (changed.length > proposalBounds.files)
    return `it changes ${changed.length} files (at most ${proposalBounds.files} in one step)`
  const lines = changed.reduce((sum, one) => sum + one.lines_added + one.lines_removed, 0)
  if (lines > proposalBounds.lines)
    return `it adds and removes ${lines} lines (at most ${proposalBounds.lines} in one step)`
  const sizeOf = (files: SkillEdit['after']) => files.reduce((sum, { bytes }) => sum + bytes, 0)
  const [was, is] = [sizeOf(edit.before), sizeOf(edit.after)]
  if (is > proposalBounds.bytes) return `the skill would have ${is} bytes (at most ${proposalBounds.bytes})`
  if (is > was * proposalBounds.growth + proposalBounds.growthBytes) {
    return `the skill would grow from ${was} to ${is} bytes (at most double plus ${proposalBounds.growthBytes} bytes)`
  }
  const body = edit.after.find(({ path }) => path === 'SKILL.md')?.text ?? ''
  const had = edit.before.find(({ path }) => path === 'SKILL.md')?.text ?? ''
  const [count, before] = [body, had].map((text) => text.split('\n').length)
  if (count !== undefined && before !== undefined && count > Math.max(proposalBounds.skillLines, before)) {
    return `SKILL.md would have ${count} lines (at most ${proposalBounds.skillLines}); move details to references/`
  }
  return null
}
