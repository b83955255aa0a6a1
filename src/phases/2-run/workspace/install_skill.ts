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
  /** The engine's folder for skills, relative to cwd. */
  skillsFolder: string
  /** False: a setup or a git bundle may have left links there. */
  isFresh: boolean
}

/** Throws SetupError where something is in the way of the skill's files. */
export async function installSkill(
  { skill, files }: { skill: Skill; files: readonly WalkedFile[] },
  { cwd, skillsFolder, isFresh }: SkillTarget,
): Promise<InstalledSkill> {
  const target = path.join(cwd, skillsFolder, skill.name)
  assertNoSymlinkTraps(cwd, isFresh ? [target] : files.map((file) => path.join(target, file.path)))
  await copyWalk(files, target).catch((error: unknown) => {
    if (isShortage(error)) throw error
    throw new SetupError(`skill ${skill.name}: ${errorMessage(error)}`) // `setup` has put something in its way
  })
  return { name: skill.name, description: skill.description, path: target }
}
