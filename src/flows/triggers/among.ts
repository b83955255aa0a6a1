/** The skills that compete with the one that is tested: folders of a skill, or folders of such folders. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { LoadWarning, Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/error.ts'
import { exists } from '../../base/files.ts'
import { readSkill } from '../../phases/1-plan/skill.ts'

/**
 * In the order given, by name within a folder. The tested one is left out, whatever its folder: two skills of one name would
 * compete with each other. Throws UserError for a folder without a skill, or one that can't be read.
 */
export async function skillsAmong(
  places: readonly string[],
  tested: Skill,
): Promise<{ skills: Skill[]; warnings: LoadWarning[] }> {
  const skills: Skill[] = []
  const warnings: LoadWarning[] = []
  for (const place of places) {
    const folders = await skillFoldersOf(path.resolve(place))
    for (const folder of folders) {
      const { skill } = await readSkill(folder)
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

async function skillFoldersOf(place: string): Promise<string[]> {
  const isSkill = (folder: string) => exists(path.join(folder, 'SKILL.md'))
  if (await isSkill(place)) return [place]
  const names = await readdir(place).catch(() => {
    throw new UserError(`--among ${place}: no such folder`, 'give a skill, or a folder that holds skills')
  })
  const found: string[] = []
  for (const name of names.sort()) if (await isSkill(path.join(place, name))) found.push(path.join(place, name))
  if (found.length > 0) return found
  throw new UserError(`--among ${place}: no skill in it`, 'give a skill, or a folder whose folders hold SKILL.md')
}
