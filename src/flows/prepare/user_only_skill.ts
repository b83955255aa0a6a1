/** Foresees a skill with `disable-model-invocation: true`: on some engines its agent never starts it by itself. */
import { type EngineChoice, holdsSkill, type PlanOptions } from '../../../schemas/plan.ts'
import type { LoadWarning, Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { findEngine } from '../../engines/table.ts'
import { planRules } from '../../phases/1-plan/check/rules/plan_rules.ts'

/** Returns what to say about it. Throws UserError if no run would use the skill. */
export function checkUserOnlySkill(
  skill: Skill,
  engine: EngineChoice,
  activation: PlanOptions['activation'],
): LoadWarning[] {
  if (!skill.user_only || engine.name === 'auto' || holdsSkill(activation)) return []
  const way = findEngine(engine.name).userOnlySkills
  const at = { file: `${skill.path}/SKILL.md`, at: 'frontmatter' }
  if (way === undefined) return [warnNoEffect(skill, engine)]
  const what = `${at.file}: disable-model-invocation: on ${engine.name} the agent never starts ${skill.name} by itself`
  if (way.start === null)
    throw new UserError(
      `${what}, and nothing in a prompt can start it`,
      'remove the line, or choose another engine such as --engine claude-code with --activation instructed',
      planRules.userOnlySkill.id,
    )
  if (activation === 'instructed') {
    const message = `disable-model-invocation: each prompt with the skill begins with ${way.start(skill.name)}, as a user starts it; whether it was read is not recorded`
    return [{ ...at, message }]
  }
  throw new UserError(
    `${what}, so no run would use it`,
    `add --activation instructed (the prompt then begins with ${way.start(skill.name)}), or remove the line`,
    planRules.userOnlySkill.id,
  )
}

export function warnNoEffect(skill: Skill, { name }: EngineChoice): LoadWarning {
  const message = `disable-model-invocation has no effect on ${name}: its agent may start the skill by itself`
  return { file: `${skill.path}/SKILL.md`, at: 'frontmatter', message }
}
