/** Reads the skills that are installed next to the tested one: skill folders, or folders of them. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { LoadWarning, Skill } from '../../schemas/suite.ts'
import { UserError } from '../base/errors/error.ts'
import { pathExists } from '../base/fs/files.ts'
import { readSkill } from '../phases/1-plan/skill/read_skill.ts'
import type { SkillLinks } from '../phases/1-plan/skill/skill_links.ts'

/**
 * In the given order, by name within a folder, each once and without the tested skill itself. `onTwin`: for another skill of the same name,
 * which is left out. Throws UserError for a folder without a readable skill.
 */
export async function readNeighbours(
  { among, links }: { among: readonly string[]; links?: SkillLinks | undefined },
  tested: Skill,
  onTwin: (twin: Skill, leftOut: Skill) => void,
): Promise<{ skills: Skill[]; warnings: LoadWarning[] }> {
  const skills: Skill[] = []
  const warnings: LoadWarning[] = []
  for (const place of among) {
    for (const folder of await listSkillFolders(path.resolve(place), place)) {
      if (folder === tested.path) continue
      const read = await readSkill(folder, links)
      const twin = [tested, ...skills].find(({ name }) => name === read.skill.name)
      if (twin?.path === folder) continue
      if (twin !== undefined) {
        onTwin(twin, read.skill)
        continue
      }
      skills.push(read.skill)
      warnings.push(...read.warnings)
    }
  }
  return { skills, warnings }
}

/** The folder itself if it is a skill, else the skills in it. `given`: its name in messages. Throws UserError for a folder without a skill. */
async function listSkillFolders(place: string, given: string): Promise<string[]> {
  const isSkill = (folder: string) => pathExists(path.join(folder, 'SKILL.md'))
  if (await isSkill(place)) return [place]
  const names = await readdir(place).catch(() => {
    throw new UserError(`--among "${given}": no such folder`, 'pass a skill, or a folder that contains skills')
  })
  const found: string[] = []
  for (const name of names.sort()) if (await isSkill(path.join(place, name))) found.push(path.join(place, name))
  if (found.length > 0) return found
  throw new UserError(`--among "${given}": no skill in it`, 'pass a skill, or a folder whose folders contain SKILL.md')
}
