/** The other skills of a benchmark: neighbours in both configurations, and what one of them has besides the skill. */
import path from 'node:path'
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { LoadWarning, Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import type { PlanRequest } from '../../phases/1-plan/plan/plan.ts'
import { findPluginRoot, listOtherParts, readPluginName } from '../../phases/1-plan/plugin/find_plugin.ts'
import type { SkillLinks } from '../../phases/1-plan/skill/skill_links.ts'
import { type AdditionWish, readAddition } from './read_addition.ts'
import { readNeighbours } from './read_neighbours.ts'

interface OtherSkillsRequest {
  among?: readonly string[]
  addition?: AdditionWish | null
  links?: SkillLinks | undefined
}

export interface OtherSkills {
  parts: Pick<PlanRequest, 'neighbours' | 'addition'>
  /** Every other skill, to be installed from its folder. */
  skills: Skill[]
  warnings: LoadWarning[]
  notes: string[]
}

/** Throws UserError for two skills of one name, a broken plugin, or neighbours of a Harbor task. */
export async function readOtherSkills(
  { among = [], addition: wish, links }: OtherSkillsRequest,
  { skill, engine, isHarbor }: { skill: Skill; engine: EngineChoice; isHarbor: boolean },
): Promise<OtherSkills> {
  if (isHarbor) {
    if (among.length === 0 && !wish) return { parts: {}, skills: [], warnings: [], notes: [] }
    const flag = wish?.kind === 'plugin' ? '--whole-plugin' : '--among'
    throw new UserError(`${flag} with a Harbor task`, 'a task brings its own skills: list the others in it')
  }
  const { skills, warnings } = await readNeighbours({ among, links }, skill)
  const read = !wish ? null : await readAddition(wish, { skill, neighbours: skills, engine, links })
  const added = read?.addition.skills ?? []
  return {
    parts: { neighbours: skills, addition: read?.addition ?? null },
    skills: [...skills, ...added],
    warnings: [...warnings, ...(read?.warnings ?? [])],
    notes: wish === undefined ? listPluginNotes(skill) : [],
  }
}

/** Says that the skill is part of a plugin, and how to measure all of it. */
function listPluginNotes(skill: Skill): string[] {
  const root = findPluginRoot(path.resolve(skill.path))
  if (root === null) return []
  const parts = listOtherParts(root)
  const others = parts.length === 0 ? '' : `, which also has ${parts.join(', ')}`
  return [`${skill.name} is part of the plugin ${readPluginName(root)}${others}; --whole-plugin measures all of it`]
}
