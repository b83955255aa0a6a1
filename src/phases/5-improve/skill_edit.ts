/** The change of a proposal: the texts of the skill before and after, file by file. */
import type { EditFile } from '../../../schemas/history/round.ts'
import { subtractEach } from '../../base/totals.ts'

export interface SkillFile {
  /** Relative to the skill, with /. */
  path: string
  bytes: number
  /** Of the content. */
  sha256: string
  isExecutable: boolean
  text: string | null
  /** The readable part of any file; the same as `text` for text. */
  readable: string
}

export interface SkillEdit {
  before: readonly SkillFile[]
  after: readonly SkillFile[]
}

export type ChangedFile = EditFile

export function changedFiles({ before, after }: SkillEdit): ChangedFile[] {
  const old = new Map(before.map((file) => [file.path, file]))
  const now = new Map(after.map((file) => [file.path, file]))
  const changed = [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((path): ChangedFile[] => {
    const [was, is] = [old.get(path), now.get(path)]
    if (isSameFile(was, is)) return []
    const change = was === undefined ? 'added' : is === undefined ? 'deleted' : 'modified'
    const [oldLines, newLines] = [splitSkillFileLines(was), splitSkillFileLines(is)]
    return [
      {
        path,
        change,
        lines_added: subtractEach(newLines, oldLines).length,
        lines_removed: subtractEach(oldLines, newLines).length,
      },
    ]
  })
  return changed
}

/** Compares the content and whether it is executable. */
export function isSameFile(one: SkillFile | undefined, other: SkillFile | undefined): boolean {
  return one?.sha256 === other?.sha256 && one?.isExecutable === other?.isExecutable
}

/** The lines and file names that are new in the skill, including those in binary files. */
export function addedText({ before, after }: SkillEdit): string {
  const old = before.flatMap(listReadableTexts)
  return after.map((file) => subtractEach(listReadableTexts(file), old).join('\n')).join('\n')
}

/** All readable text of a skill: its file names and their content. */
export function allText(files: readonly SkillFile[]): string {
  return files.flatMap(listReadableTexts).join('\n')
}

/** Words in a binary file, read as UTF-8 and as both kinds of UTF-16; compressed or otherwise encoded text is not found. */
export function extractReadable(content: Buffer): string {
  const even = content.subarray(0, content.length - (content.length % 2))
  const kinds = [content.toString('utf8'), even.toString('utf16le'), Buffer.from(even).swap16().toString('utf16le')]
  return kinds.map((text) => text.replace(/[\p{Cc}\uFFFD]+/gu, '\n')).join('\n')
}

function listReadableTexts({ path, readable }: SkillFile): string[] {
  return [path, ...readable.split('\n')]
}

function splitSkillFileLines(file: SkillFile | undefined): string[] {
  return file?.text?.split('\n') ?? []
}
