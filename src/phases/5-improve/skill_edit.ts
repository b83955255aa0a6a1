/** What a proposal changes: the texts of the skill before and after, file by file. */
import type { Proposal } from '../../../schemas/history.ts'

export interface SkillFile {
  /** Relative to the skill, with /. */
  path: string
  bytes: number
  /** Of its content. */
  sha256: string
  /** null: not text. */
  text: string | null
}

export interface SkillEdit {
  before: readonly SkillFile[]
  after: readonly SkillFile[]
}

export type ChangedFile = Proposal['files'][number]

/** Every file that is not the same in both, by path. */
export function changedFiles({ before, after }: SkillEdit): ChangedFile[] {
  const old = new Map(before.map((file) => [file.path, file]))
  const now = new Map(after.map((file) => [file.path, file]))
  const changed = [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((path): ChangedFile[] => {
    const [was, is] = [old.get(path), now.get(path)]
    if (was?.sha256 === is?.sha256) return []
    const change = was === undefined ? 'added' : is === undefined ? 'deleted' : 'modified'
    const [oldLines, newLines] = [linesOf(was), linesOf(is)]
    return [
      {
        path,
        change,
        lines_added: without(newLines, oldLines).length,
        lines_removed: without(oldLines, newLines).length,
      },
    ]
  })
  return changed
}

/** The lines that the skill has now and had nowhere before. */
export function addedText({ before, after }: SkillEdit): string {
  const old = before.flatMap(linesOf)
  return after.map((file) => without(linesOf(file), old).join('\n')).join('\n')
}

function linesOf(file: SkillFile | undefined): string[] {
  return file?.text?.split('\n') ?? []
}

/** Those of `lines` that `others` has not, each as often as it is there too often. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}
