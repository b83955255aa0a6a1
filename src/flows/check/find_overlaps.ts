/** check --overlap: compares the descriptions of all checked skills, without a model. */
import path from 'node:path'
import type { Problem } from '../../../schemas/check_report.ts'
import type { DescriptionOverlap } from '../../../schemas/overlap.ts'
import { UserError } from '../../base/errors/error.ts'
import { describeOverlap, overlapRules } from '../../phases/1-plan/check/rules/overlap_rules.ts'
import { toProblem } from '../../phases/1-plan/check/rules/rule.ts'
import { findDescriptionOverlaps } from '../../phases/1-plan/overlap/find_description_overlaps.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'

interface NamedSkill {
  name: string
  description: string
  folder: string
}

export interface FoundOverlaps {
  overlaps: DescriptionOverlap[]
  /** By the folder of the skill that they are shown with. */
  problems: ReadonlyMap<string, Problem[]>
}

/** `folders`: of the skills whose SKILL.md can be read. Throws UserError for fewer than two. */
export async function findOverlaps(folders: readonly string[]): Promise<FoundOverlaps> {
  if (folders.length < 2)
    throw new UserError(
      `--overlap compares skills, and there ${folders.length === 1 ? `is one (${folders[0]})` : 'is none'}`,
      'pass a folder of skills, such as: whetstone check skills --overlap',
    )
  const read = await Promise.all(folders.map(readNamedSkill))
  const skills = new Map<string, NamedSkill>()
  const problems = new Map<string, Problem[]>()
  const report = ({ folder }: NamedSkill, problem: Problem) =>
    void problems.set(folder, [...(problems.get(folder) ?? []), problem])
  for (const one of read) {
    if (one === null) continue
    const twin = skills.get(one.name)
    if (twin === undefined) skills.set(one.name, one)
    else report(one, toSameNameProblem(one, twin))
  }
  const overlaps = findDescriptionOverlaps([...skills.values()])
  for (const overlap of overlaps) {
    const one = skills.get(overlap.a)
    if (one === undefined || overlap.delimited) continue
    report(one, toProblem(overlapRules.descriptions, describeOverlap(overlap), path.join(one.folder, 'SKILL.md')))
  }
  return { overlaps, problems }
}

/** null: the check itself reports what is wrong with it. */
async function readNamedSkill(folder: string): Promise<NamedSkill | null> {
  try {
    const { skill } = await readSkill(folder, 'copy')
    return { name: skill.name, description: skill.description, folder }
  } catch (error) {
    if (error instanceof UserError) return null
    throw error
  }
}

function toSameNameProblem({ name, folder }: NamedSkill, twin: NamedSkill): Problem {
  const finding = { message: `${twin.folder} is named ${name}, too`, fix: 'rename one of them', at: 'name' }
  return toProblem(overlapRules.sameName, finding, path.join(folder, 'SKILL.md'))
}
