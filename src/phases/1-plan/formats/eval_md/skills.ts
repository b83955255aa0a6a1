/** The skills that an EVAL.md names or lies beside, and those of an agent. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { InputFile, LoadWarning, Skill } from '../../../../../schemas/suite.ts'
import { messageOf } from '../../../../base/error.ts'
import { entriesIn, exists } from '../../../../base/files.ts'
import { fileContent } from '../../inputs.ts'
import { readSkill, skillFiles } from '../../skill.ts'

export interface FoundSkills {
  skills: Skill[]
  warnings: LoadWarning[]
  /** Why one can't be used. */
  reasons: string[]
}

/** Of a folder with SKILL.md that skill, of its SKILL.md too; of a folder of skills each. Never throws. */
export async function skillsAt(place: string): Promise<FoundSkills> {
  const found: FoundSkills = { skills: [], warnings: [], reasons: [] }
  const isFolder = (await stat(place)).isDirectory()
  const folder = isFolder ? place : path.dirname(place)
  const folders = (await exists(path.join(folder, 'SKILL.md'))) ? [folder] : await skillsBelow(folder)
  if (folders.length === 0) found.reasons.push(`${place}: no SKILL.md in it`)
  for (const one of folders) {
    try {
      const { skill, warnings } = await readSkill(one)
      found.skills.push(skill)
      found.warnings.push(...warnings)
    } catch (error) {
      found.reasons.push(messageOf(error))
    }
  }
  return found
}

async function skillsBelow(folder: string): Promise<string[]> {
  const inner = entriesIn(folder).flatMap(({ name }) =>
    /^\.|^node_modules$/.test(name) ? [] : path.join(folder, name),
  )
  const there = await Promise.all(inner.map((one) => exists(path.join(one, 'SKILL.md'))))
  return inner.filter((_, index) => there[index])
}

/** Its files as a run gets them besides the skill under test: <name>/…. */
export async function filesOfSkill(skill: Skill): Promise<InputFile[]> {
  const { files } = await skillFiles(skill.path)
  return Promise.all(
    files.map(async ({ path: name, source }) => ({
      path: `${skill.name}/${name}`,
      source,
      ...(await fileContent(source)),
    })),
  )
}
