/** Reads the skills that compete with the tested one: skill folders, or folders of them. */
import path from 'node:path'
import type { LoadWarning, Skill } from '../../../schemas/suite.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import type { SkillLinks } from '../../phases/1-plan/skill/skill_links.ts'
import { listSkillFolders } from '../neighbours/list_skill_folders.ts'

/**
 * In the given order, by name within a folder. Leaves out the tested skill in any folder, since two of one name would compete. Throws
 * UserError for a folder without a readable skill.
 */
export async function readDistractors(
  { among, links }: { among: readonly string[]; links?: SkillLinks | undefined },
  tested: Skill,
): Promise<{ skills: Skill[]; warnings: LoadWarning[] }> {
  const skills: Skill[] = []
  const warnings: LoadWarning[] = []
  for (const place of among) {
    const folders = await listSkillFolders(path.resolve(place), path.resolve(place))
    for (const folder of folders) {
      const { skill } = await readSkill(folder, links)
      const twin = [tested, ...skills].find(({ name }) => name === skill.name)
      if (twin === undefined) skills.push(skill)
      else if (twin.path !== skill.path) {
        const message = `another skill is named ${skill.name} (${twin.path}); this one was left out`
        warnings.push({ file: folder, at: 'frontmatter', message })
      }
    }
  }
  return { skills, warnings }
}
