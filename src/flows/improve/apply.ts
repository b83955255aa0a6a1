/** Puts the best version in place of the author's skill, with a backup. Nothing else of `improve` touches that folder. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { messageOf, UserError } from '../../base/error.ts'
import { copyWalk, hashWalk, type WalkedFile } from '../../base/files.ts'
import { skillFiles } from '../../phases/1-plan/skill.ts'
import { improvePaths, timestampName } from '../../store/paths.ts'
import { skillFolder } from '../prepare.ts'
import { newFolder } from './aside.ts'
import type { ImproveResult } from './improve.ts'
import { skillTexts } from './skill_texts.ts'
import { diffOf, type FileDiff } from './text_diff.ts'

export interface Applying {
  /** The author's folder, absolute. */
  skill: string
  diff: FileDiff[]
  /** Copies the skill aside and puts the version there; gives the folder of the backup. */
  apply: (now: Date) => Promise<string>
}

/** What would change. Throws UserError where the skill is no longer as it was when the session began. */
export async function applying(
  { history, workspace, best }: Pick<ImproveResult, 'history' | 'workspace' | 'best'>,
  given: string,
): Promise<Applying> {
  const skill = path.resolve(await skillFolder(path.resolve(given)))
  const { files } = await skillFiles(skill)
  const now = await hashWalk(files)
  const first = history.iterations[0]?.skill_sha256
  const wanted = (await skillFiles(best)).files
  const hash = await hashWalk(wanted)
  const tested = history.iterations.find(({ version }) => version === history.current_best)?.skill_sha256
  if (tested !== undefined && hash !== tested) {
    throw new UserError(
      `${best}: it has changed since it was tested`,
      `it is not put in place; take over by hand what you want of it`,
    )
  }
  if (now !== first && now !== hash) {
    throw new UserError(
      `${skill}: it has changed since the session was started, and ${history.current_best} was made of what it was`,
      `take over by hand what you want of ${best}`,
    )
  }
  return {
    skill,
    diff: diffOf(await skillTexts(skill), await skillTexts(best)),
    async apply(moment) {
      const backup = await newFolder(path.join(improvePaths(workspace).backups, timestampName(moment)))
      await copyWalk(files, backup)
      const kept = new Set(wanted.map((file) => file.path))
      try {
        await copyWalk(wanted, skill)
        for (const file of files) if (!kept.has(file.path)) await rm(path.join(skill, file.path), { force: true })
      } catch (error) {
        const isBack = await putBack({ skill, backup, wanted }, now)
        throw new UserError(
          `${skill}: ${history.current_best} could not be put in place (${messageOf(error)})`,
          `${isBack ? 'the skill is as it was' : 'put back what it was'}: a copy is in ${backup}; mend the folder's permissions, then --resume --apply`,
        )
      }
      return backup
    },
  }
}

/** After a version was put in place in part: whether the skill is again what `sha256` says. What can't be written was not changed either. */
async function putBack(
  { skill, backup, wanted }: { skill: string; backup: string; wanted: readonly WalkedFile[] },
  sha256: string,
): Promise<boolean> {
  const before = (await skillFiles(backup)).files
  for (const file of before) await copyWalk([file], skill).catch(() => {})
  const had = new Set(before.map((file) => file.path))
  for (const file of wanted) if (!had.has(file.path)) await rm(path.join(skill, file.path)).catch(() => {})
  return (await hashWalk((await skillFiles(skill)).files)) === sha256
}
