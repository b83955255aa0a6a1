/** Versions of a skill as folders: reads and writes their files, shows the lines that change, and replaces the author's skill after a backup. */
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { diffArrays } from 'diff'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { copyWalk, hashWalk, isExecutable, type WalkedFile } from '../../base/fs/files.ts'
import { escapesFolder } from '../../base/fs/inside_folder.ts'
import { sha256 } from '../../base/json/json.ts'
import { listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import type { VersionFiles } from '../../phases/5-improve/edits/merge_files.ts'
import { extractReadable, isSameFile, type SkillFile } from '../../phases/5-improve/skill_edit.ts'
import { improvePaths, timestampName } from '../../store/paths.ts'
import { resolveSkillFolder } from '../prepare/prepare_bench.ts'

export interface Replacement {
  /** The author's folder, absolute. */
  skill: string
  diff: FileDiff[]
  /** Backs up the skill and writes the version in its place; returns the backup folder. */
  apply: (now: Date) => Promise<string>
}

export interface ReplacementRequest {
  /** The author's folder, as given. */
  given: string
  /** The version's folder, and what messages call it. */
  version: string
  name: string
  /** Hashes that the author's skill may have: of the version that the other is based on, and of that itself. */
  expected: readonly (string | undefined)[]
  workspace: string
  /** The flags with which the user tries again. */
  retry: string
}

/** What would change. Throws UserError if the skill has changed since the version was written. */
export async function prepareReplacement(request: ReplacementRequest): Promise<Replacement> {
  const { given, version, name, expected, workspace, retry } = request
  const skill = path.resolve(await resolveSkillFolder(path.resolve(given)))
  const { files } = await listSkillFiles(skill)
  const now = await hashWalk(files)
  const wanted = (await listSkillFiles(version)).files
  if (!expected.includes(now)) {
    throw new UserError(
      `${skill}: it has changed since the session started, and ${name} is based on the earlier version`,
      `copy by hand what you want from ${version}`,
    )
  }
  const diff = diffSkillFiles(await readSkillTexts(skill), await readSkillTexts(version))
  const linked = diff.find((file) => escapesFolder(skill, path.join(skill, file.path)))
  if (linked !== undefined) {
    throw new UserError(
      `${path.join(skill, linked.path)}: behind a link that leads out of the skill, so it is not replaced`,
      `copy by hand what you want from ${version}`,
    )
  }
  return {
    skill,
    diff,
    async apply(moment) {
      const backup = await createNumberedFolder(path.join(improvePaths(workspace).backups, timestampName(moment)))
      await copyWalk(files, backup)
      const kept = new Set(wanted.map((file) => file.path))
      try {
        await copyWalk(wanted, skill)
        for (const file of files) if (!kept.has(file.path)) await rm(path.join(skill, file.path), { force: true })
      } catch (error) {
        const isBack = await restoreBackup({ skill, backup, wanted }, now)
        throw new UserError(
          `${skill}: ${name} could not be put in place (${errorMessage(error)})`,
          `${isBack ? 'the skill is unchanged' : 'restore the skill'}: a copy is in ${backup}; fix the folder's permissions, then ${retry}`,
        )
      }
      return backup
    },
  }
}

/** After a partial write: whether the skill again matches `sha256`. Files that can't be written were not changed either. */
async function restoreBackup(
  { skill, backup, wanted }: { skill: string; backup: string; wanted: readonly WalkedFile[] },
  sha256: string,
): Promise<boolean> {
  const before = (await listSkillFiles(backup)).files
  for (const file of before) await copyWalk([file], skill).catch(() => {})
  const had = new Set(before.map((file) => file.path))
  for (const file of wanted) if (!had.has(file.path)) await rm(path.join(skill, file.path)).catch(() => {})
  return (await hashWalk((await listSkillFiles(skill)).files)) === sha256
}

/** Creates a folder of that name; if it exists, adds -2, -3, … */
export async function createNumberedFolder(base: string): Promise<string> {
  await mkdir(path.dirname(base), { recursive: true })
  for (let number = 1; ; number += 1) {
    const folder = number === 1 ? base : `${base}-${number}`
    if (existsSync(folder)) continue
    await mkdir(folder)
    return folder
  }
}

export interface FileDiff {
  path: string
  /** Each starts with `+`, `-` or a space. */
  lines: string[]
}

const context = 2
/** With more changed lines than this a file is shown as a whole. */
const longest = 2000

/** Skips identical files. */
export function diffSkillFiles(before: readonly SkillFile[], after: readonly SkillFile[]): FileDiff[] {
  const old = new Map(before.map((file) => [file.path, file]))
  const now = new Map(after.map((file) => [file.path, file]))
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)]
    if (isSameFile(was, is)) return []
    if ((was && was.text === null) || (is && is.text === null)) {
      return [
        { path, lines: [`${was ? '-' : ' '}${was?.bytes ?? 0} bytes`, `${is ? '+' : ' '}${is?.bytes ?? 0} bytes`] },
      ]
    }
    return [{ path, lines: [...modes(was, is), ...trimDiffContext(lineDiff(splitFileLines(was), splitFileLines(is)))] }]
  })
}

function modes(was: SkillFile | undefined, is: SkillFile | undefined): string[] {
  if ((was?.isExecutable ?? false) === (is?.isExecutable ?? false)) return []
  return [is?.isExecutable ? '+can be executed' : '-can be executed']
}

function splitFileLines(file: SkillFile | undefined): string[] {
  const lines = file?.text?.split('\n') ?? []
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function lineDiff(before: readonly string[], after: readonly string[]): string[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: longest })
  if (parts === undefined) return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)]
  return parts.flatMap(({ added, removed, value }) => {
    const sign = added ? '+' : removed ? '-' : ' '
    return value.map((line) => `${sign}${line}`)
  })
}

/** Keeps only lines near a change. */
function trimDiffContext(lines: readonly string[]): string[] {
  const isChange = (at: number) => (lines[at]?.[0] ?? ' ') !== ' '
  const isShown = lines.map((_, at) => {
    for (let other = at - context; other <= at + context; other += 1) if (isChange(other)) return true
    return false
  })
  return lines.flatMap((line, at) => (isShown[at] ? [line] : isShown[at - 1] ? [' …'] : []))
}

export async function readSkillTexts(folder: string): Promise<SkillFile[]> {
  return await readFileTexts((await listSkillFiles(folder)).files)
}

export async function readFileTexts(files: readonly WalkedFile[]): Promise<SkillFile[]> {
  return await Promise.all(
    files.map(async ({ path: name, source, bytes }) => {
      const content = await readFile(source)
      const text = content.includes(0) ? null : content.toString('utf8')
      return {
        ...{ path: name, bytes, sha256: sha256(content), isExecutable: isExecutable(source) },
        ...{ text, readable: text ?? extractReadable(content) },
      }
    }),
  )
}

export async function readVersionFiles(files: readonly WalkedFile[]): Promise<VersionFiles> {
  const read = files.map(async ({ path: name, source }) => {
    return [name, { content: await readFile(source), isExecutable: isExecutable(source) }] as const
  })
  return new Map(await Promise.all(read))
}

/** Copies the files that agents may see, all or none, and replaces the target. */
export async function writeVersion(files: readonly WalkedFile[], target: string): Promise<void> {
  await replaceFolder(target, async (partial) => await copyWalk(files, partial))
}

export async function writeVersionFiles(files: VersionFiles, target: string): Promise<void> {
  await replaceFolder(target, async (partial) => {
    for (const [name, { content, isExecutable: mayRun }] of files) {
      const file = path.join(partial, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, content)
      if (mayRun) await chmod(file, 0o755)
    }
  })
}

async function replaceFolder(target: string, fill: (partial: string) => Promise<void>): Promise<void> {
  const partial = path.join(path.dirname(target), `.partial-${path.basename(target)}`)
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true })
  await fill(partial)
  await rm(target, { recursive: true, force: true })
  await rename(partial, target)
}
