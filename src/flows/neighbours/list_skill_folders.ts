/** Lists the skills that --among names. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
/** The folder itself if it is a skill, else the skills in it. `given`: its name in messages. Throws UserError for a folder without a skill. */
export async function listSkillFolders(place: string, given: string): Promise<string[]> {
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
