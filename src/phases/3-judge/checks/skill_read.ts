/** skill_read: the agent read the skill under test. */
import type { CheckOf } from '../../../../schemas/check.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'

export async function skillRead(_: CheckOf<'skill_read'>, scene: CheckScene): Promise<CheckVerdict> {
  if (scene.skill?.installed === false) return { passed: false, evidence: 'the agent had no such skill' }
  const { read, read_at_step } = scene.record.skill
  if (read === null) return { error: 'the engine does not show whether the skill was read' }
  const at = read_at_step === null ? '' : ` at step ${read_at_step}`
  return read
    ? { passed: true, evidence: `its SKILL.md was read${at}` }
    : { passed: false, evidence: 'its SKILL.md was not read' }
}
