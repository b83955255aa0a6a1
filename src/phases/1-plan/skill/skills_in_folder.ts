/** Finds the skills of a folder, and the files of a skill as a run installs them. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { InputFile, LoadWarning, Skill } from '../../../../schemas/suite.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { listEntries } from '../../../base/fs/files.ts'
import { hashFileContent } from '../suite/input_files.ts'
import { listSkillFiles, readSkill } from './read_skill.ts'

export interface FoundSkills {
  skills: Skill[]
  warnings: LoadWarning[]
  reasons: string[]
}

/** Returns the skill of a folder with SKILL.md (or of that file), or each skill of a folder of skills. Never throws. */
export async function findSkillsInFolder(place: string): Promise<FoundSkills> {
  const found: FoundSkills = { skills: [], warnings: [], reasons: [] }
  const isFolder = (await stat(place)).isDirectory()
  const folder = isFolder ? place : path.dirname(place)
  const folders = existsSync(path.join(folder, 'SKILL.md')) ? [folder] : listSkillSubfolders(folder)
  if (folders.length === 0) found.reasons.push(`${place}: no SKILL.md in it`)
  for (const one of folders) {
    try {
      const { skill, warnings } = await readSkill(one)
      found.skills.push(skill)
      found.warnings.push(...warnings)
    } catch (error) {
      found.reasons.push(errorMessage(error))
    }
  }
  return found
}

function listSkillSubfolders(folder: string): string[] {
  const inner = listEntries(folder).flatMap(({ name }) =>
    /^\.|^node_modules$/.test(name) ? [] : path.join(folder, name),
  )
  return inner.filter((one) => existsSync(path.join(one, 'SKILL.md')))
}

/** The skill's files as a run installs them next to the skill under test: <name>/…. */
export async function listInstalledSkillFiles(skill: Skill): Promise<InputFile[]> {
  const { files } = await listSkillFiles(skill.path)
  return Promise.all(
    files.map(async ({ path: name, source }) => ({
      path: `${skill.name}/${name}`,
      source,
      ...(await hashFileContent(source)),
    })),
  )
}
