/** Reads the skills that are installed next to the tested one: skill folders, or folders of them. */
import path from 'node:path'
import type { LoadWarning, Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import type { SkillLinks } from '../../phases/1-plan/skill/skill_links.ts'
import { listSkillFolders } from './list_skill_folders.ts'

/**
 * In the given order, by name within a folder, each once and without the tested skill itself. Throws UserError for a folder without a
 * readable skill, for a list that names only the tested skill, and for two skills of one name: an agent would get only one of them.
 */
export async function readNeighbours(
  { among, links }: { among: readonly string[]; links?: SkillLinks | undefined },
  tested: Skill,
): Promise<{ skills: Skill[]; warnings: LoadWarning[] }> {
  const skills: Skill[] = []
  const warnings: LoadWarning[] = []
  for (const place of among) {
    for (const folder of await listSkillFolders(path.resolve(place), place)) {
      if (folder === tested.path) continue
      const read = await readSkill(folder, links)
      const twin = [tested, ...skills].find(({ name }) => name === read.skill.name)
      if (twin?.path === folder) continue
      refuseTwin(twin, read.skill)
      skills.push(read.skill)
      warnings.push(...read.warnings)
    }
  }
  if (among.length > 0 && skills.length === 0)
    throw new UserError('--among: no other skill there', 'pass a folder with skills besides the one under test')
  return { skills, warnings }
}

/** Throws UserError if there is another skill of this name. */
export function refuseTwin(twin: Skill | undefined, { name, path: place }: Skill): void {
  if (twin === undefined) return
  throw new UserError(
    `two skills are named ${name}: ${twin.path} and ${place}`,
    'an agent gets one skill of each name: rename one, or leave it out',
    'same-name',
  )
}
