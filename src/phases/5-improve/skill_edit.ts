/** What a proposal changes: the texts of the skill before and after, file by file. */
import type { Proposal } from '../../../schemas/history.ts'

export interface SkillFile {
  /** Relative to the skill, with /. */
  path: string
  bytes: number
  /** Of its content. */
  sha256: string
  isExecutable: boolean
  /** null: not text. */
  text: string | null
  /** What can be read in it all the same; the text where it is one. */
  readable: string
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
    if (isSame(was, is)) return []
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

/** In content, and in whether it can be executed. */
export function isSame(one: SkillFile | undefined, other: SkillFile | undefined): boolean {
  return one?.sha256 === other?.sha256 && one?.isExecutable === other?.isExecutable
}

/** The lines and the names of files that the skill has now and had nowhere before, those in files that are no text too. */
export function addedText({ before, after }: SkillEdit): string {
  const old = before.flatMap(saidBy)
  return after.map((file) => without(saidBy(file), old).join('\n')).join('\n')
}

/** All that can be read in a skill: the names of its files, and what is in them. */
export function allText(files: readonly SkillFile[]): string {
  return files.flatMap(saidBy).join('\n')
}

/** Words in a file that is no text, as UTF-8 and as both kinds of UTF-16; what is compressed or encoded otherwise can't be read. */
export function readableIn(content: Buffer): string {
  const even = content.subarray(0, content.length - (content.length % 2))
  const kinds = [content.toString('utf8'), even.toString('utf16le'), Buffer.from(even).swap16().toString('utf16le')]
  return kinds.map((text) => text.replace(/[\p{Cc}\uFFFD]+/gu, '\n')).join('\n')
}

function saidBy({ path, readable }: SkillFile): string[] {
  return [path, ...readable.split('\n')]
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
