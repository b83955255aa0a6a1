/** Replaces the author's skill with the best version, after a backup. Nothing else in `improve` touches that folder. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { History } from '../../../schemas/history.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { copyWalk, hashWalk, type WalkedFile } from '../../base/fs/files.ts'
import { escapesFolder } from '../../base/fs/inside_folder.ts'
import { listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import { improvePaths, timestampName } from '../../store/paths.ts'
import { resolveSkillFolder } from '../prepare/prepare_bench.ts'
import { diffSkillFiles, type FileDiff } from './propose/text_diff.ts'
import { createNumberedFolder } from './session/archive_session.ts'
import { readSkillTexts } from './session/skill_texts.ts'

/** What a session ended with. */
export interface BestVersion {
  history: History
  workspace: string
  /** The best version's folder, absolute. */
  best: string
}

export interface PreparedApply {
  /** The author's folder, absolute. */
  skill: string
  diff: FileDiff[]
  /** Backs up the skill and writes the version in its place; returns the backup folder. */
  apply: (now: Date) => Promise<string>
}

/** What would change. Throws UserError if the skill has changed since the session began. */
export async function prepareApply({ history, workspace, best }: BestVersion, given: string): Promise<PreparedApply> {
  const skill = path.resolve(await resolveSkillFolder(path.resolve(given)))
  const { files } = await listSkillFiles(skill)
  const now = await hashWalk(files)
  const first = history.iterations[0]?.skill_sha256
  const wanted = (await listSkillFiles(best)).files
  const hash = await requireTestedVersion(history, { name: history.current_best, folder: best })
  if (now !== first && now !== hash) {
    throw new UserError(
      `${skill}: it has changed since the session started, and ${history.current_best} is based on the earlier version`,
      `copy by hand what you want from ${best}`,
    )
  }
  const diff = diffSkillFiles(await readSkillTexts(skill), await readSkillTexts(best))
  const linked = diff.find((file) => escapesFolder(skill, path.join(skill, file.path)))
  if (linked !== undefined) {
    throw new UserError(
      `${path.join(skill, linked.path)}: behind a link that leads out of the skill, so it is not replaced`,
      `copy by hand what you want from ${best}`,
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
          `${skill}: ${history.current_best} could not be put in place (${errorMessage(error)})`,
          `${isBack ? 'the skill is unchanged' : 'restore the skill'}: a copy is in ${backup}; fix the folder's permissions, then --resume --apply`,
        )
      }
      return backup
    },
  }
}

/** Returns the hash of a version's folder. Throws UserError if it is not the one that was tested. */
export async function requireTestedVersion(
  { iterations }: Pick<History, 'iterations'>,
  { name, folder }: { name: string; folder: string },
): Promise<string> {
  const hash = await hashWalk((await listSkillFiles(folder)).files)
  const tested = iterations.find(({ version }) => version === name)?.skill_sha256
  if (tested === undefined || hash === tested) return hash
  throw new UserError(`${folder}: changed since it was tested`, 'copy what you want from it by hand')
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
