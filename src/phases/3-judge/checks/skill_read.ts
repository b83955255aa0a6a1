/** skill_read: the agent read the skill under test. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'

export async function decideSkillRead(_: CheckOf<'skill_read'>, context: CheckContext): Promise<CheckVerdict> {
  if (context.skill?.installed === false) return { passed: false, evidence: 'the agent did not have this skill' }
  const { read, read_at_step } = context.record.skill
  if (read === null) return { error: 'the engine does not report whether the skill was read' }
  const at = read_at_step === null ? '' : ` at step ${read_at_step}`
  return read
    ? { passed: true, evidence: `its SKILL.md was read${at}` }
    : { passed: false, evidence: 'its SKILL.md was not read' }
}
