/** The other skills of a benchmark: neighbours in both configurations, and what one of them has besides the skill. A feature reads them. */
import type { EngineChoice } from '../../schemas/plan.ts'
import type { LoadWarning, Skill } from '../../schemas/suite.ts'
import { UserError } from '../base/errors/error.ts'
import type { Addition, PlanRequest } from '../phases/1-plan/plan/plan.ts'
import type { SkillLinks } from '../phases/1-plan/skill/skill_links.ts'

/** A configuration with more than the skill, and what it is compared with. */
export type AdditionWish = { against: Addition['against'] } & (
  | { kind: 'plugin' }
  | { kind: 'neighbours'; among: readonly string[] }
)

export interface OtherSkillsRequest {
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

export interface ExpandedPlugins {
  places: string[]
  /** Whether there was a plugin that has more than one skill. */
  hasPlugin: boolean
  passedOver: { place: string; reason: string }[]
}

export interface OtherSkillsSteps {
  /** Throws UserError for two skills of one name, a broken plugin, or neighbours of a Harbor task. */
  read(request: OtherSkillsRequest, of: { skill: Skill; engine: EngineChoice; isHarbor: boolean }): Promise<OtherSkills>
  /**
   * Replaces each plugin among the named places by its skills that have a suite. `suite`: of all skills; absent: each has its own. Throws
   * UserError for a broken plugin, and for one without a suite.
   */
  expandPlugins(given: readonly string[], suite: string | undefined): Promise<ExpandedPlugins>
}

const withoutFeature: OtherSkillsSteps = {
  async read({ among = [], addition }) {
    if (among.length === 0 && !addition) return { parts: {}, skills: [], warnings: [], notes: [] }
    throw new UserError('other skills next to the skill are not supported', 'benchmark the skill alone')
  },
  expandPlugins: async (given) => ({ places: [...given], hasPlugin: false, passedOver: [] }),
}

const rows: Record<string, () => Promise<OtherSkillsSteps>> = {}

/** Adds those of a feature; again changes nothing. */
export function addOtherSkills(more: Readonly<typeof rows>): void {
  Object.assign(rows, more)
}

export async function loadOtherSkills(): Promise<OtherSkillsSteps> {
  const [load] = Object.values(rows)
  return (await load?.()) ?? withoutFeature
}
