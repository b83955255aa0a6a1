/** Puts the text of each run's skill at the start of its prompt, for activations that do not leave it to the agent to read it. */
import { holdsSkill, type Plan } from '../../../../schemas/plan.ts'
import { computePlanId, computeRunKey } from '../keys/plan_keys.ts'
import { readSkillBodies } from '../skill/frontmatter.ts'

/** As it is where the activation does not load skills. `folders`: of every skill and version in the plan by sha256, absolute. */
export async function loadSkills(plan: Plan, folders: ReadonlyMap<string, string>): Promise<Plan> {
  const { activation } = plan.options
  if (!holdsSkill(activation)) return plan
  const bodies = await readSkillBodies(folders)
  const runs = plan.runs.map(({ key: _, ...run }) => {
    const { skill, prompt } = run
    const body = bodies.get(skill?.sha256 ?? '')
    const spec =
      skill === null || body === undefined ? run : { ...run, prompt: prependSkill(prompt, skill.name, body) }
    return { ...spec, key: computeRunKey(spec) }
  })
  return { ...plan, runs, plan_id: computePlanId(runs, plan.options) }
}

/** The same text on every engine, so that both configurations differ by it alone. */
function prependSkill(prompt: string, name: string, body: string): string {
  return `The skill ${name} is loaded. Its instructions:\n\n<skill name="${name}">\n${body}\n</skill>\n\n${prompt}`
}
