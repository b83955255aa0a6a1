/** Puts the best version in place of the author's skill, with a backup. Nothing else of `improve` touches that folder. */
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/error.ts'
import { copyWalk, hashWalk } from '../../base/files.ts'
import { skillFiles } from '../../phases/1-plan/skill.ts'
import { improvePaths, timestampName } from '../../store/paths.ts'
import { skillFolder } from '../prepare.ts'
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
export async function applying({ history, workspace, best }: ImproveResult, given: string): Promise<Applying> {
  const skill = path.resolve(await skillFolder(path.resolve(given)))
  const { files } = await skillFiles(skill)
  const now = await hashWalk(files)
  const first = history.iterations[0]?.skill_sha256
  const wanted = (await skillFiles(best)).files
  if (now !== first && now !== (await hashWalk(wanted))) {
    throw new UserError(
      `${skill}: it has changed since the session was started, and ${history.current_best} was made of what it was`,
      `take over by hand what you want of ${best}`,
    )
  }
  return {
    skill,
    diff: diffOf(await skillTexts(skill), await skillTexts(best)),
    async apply(moment) {
      const backup = path.join(improvePaths(workspace).backups, timestampName(moment))
      await mkdir(backup, { recursive: true })
      await copyWalk(files, backup)
      const kept = new Set(wanted.map((file) => file.path))
      await copyWalk(wanted, skill)
      for (const file of files) if (!kept.has(file.path)) await rm(path.join(skill, file.path), { force: true })
      return backup
    },
  }
}
