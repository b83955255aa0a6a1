/** Copies a skill into the agent's working folder, to the place where its engine looks for skills. */
import path from 'node:path'
import type { Skill } from '../../../../schemas/suite.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { copyWalk, type WalkedFile } from '../../../base/fs/files.ts'
import { isShortage } from '../../../base/process/resource_shortage.ts'
import type { InstalledSkill } from '../../../engines/engine.ts'
import { assertNoSymlinkTraps, SetupError } from './symlink_traps.ts'

interface SkillTarget {
  /** Absolute path of the working folder. */
  cwd: string
  /** The engine's folders for skills, relative to cwd. */
  skillsFolders: readonly string[]
  /** False: a setup or a git bundle may have left links there. */
  isFresh: boolean
}

/** Throws SetupError where something is in the way of the skill's files. */
export async function installSkill(
  { skill, files }: { skill: Skill; files: readonly WalkedFile[] },
  { cwd, skillsFolders, isFresh }: SkillTarget,
): Promise<InstalledSkill> {
  const targets = skillsFolders.map((folder) => path.join(cwd, folder, skill.name))
  for (const target of targets) {
    assertNoSymlinkTraps(cwd, isFresh ? [target] : files.map((file) => path.join(target, file.path)))
    await copyWalk(files, target).catch((error: unknown) => {
      if (isShortage(error)) throw error
      throw new SetupError(`skill ${skill.name}: ${errorMessage(error)}`) // `setup` has put something in its way
    })
  }
  return describeInstalled(skill, targets)
}

/** An installed skill, from its first place and the copies. */
export function describeInstalled(
  { name, description }: Pick<InstalledSkill, 'name' | 'description'>,
  [first = '', ...copies]: readonly string[],
): InstalledSkill {
  return { name, description, path: first, ...(copies.length === 0 ? {} : { copies }) }
}
