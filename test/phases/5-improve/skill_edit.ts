/** An edit of a skill from the texts of its files before and after. */
import { sha256 } from '../../../src/base/json/json.ts'
import type { SkillEdit } from '../../../src/phases/5-improve/skill_edit.ts'

const listFiles = (texts: Record<string, string>) =>
  Object.entries(texts).map(([path, text]) => ({
    ...{ path, text, readable: text, bytes: text.length, sha256: sha256(text), isExecutable: false },
  }))

export function skillEdit(before: Record<string, string>, after: Record<string, string>): SkillEdit {
  return { before: listFiles(before), after: listFiles(after) }
}
