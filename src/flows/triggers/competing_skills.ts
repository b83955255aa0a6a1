/** Reads the skills that compete with the tested one: skill folders, or folders of them. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { LoadWarning, Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import type { SkillLinks } from '../../phases/1-plan/skill/skill_links.ts'

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
    const folders = await listSkillFolders(path.resolve(place))
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

async function listSkillFolders(place: string): Promise<string[]> {
  const isSkill = (folder: string) => pathExists(path.join(folder, 'SKILL.md'))
  if (await isSkill(place)) return [place]
  const names = await readdir(place).catch(() => {
    throw new UserError(`--among "${place}": no such folder`, 'pass a skill, or a folder that contains skills')
  })
  const found: string[] = []
  for (const name of names.sort()) if (await isSkill(path.join(place, name))) found.push(path.join(place, name))
  if (found.length > 0) return found
  throw new UserError(`--among "${place}": no skill in it`, 'pass a skill, or a folder whose folders contain SKILL.md')
}
