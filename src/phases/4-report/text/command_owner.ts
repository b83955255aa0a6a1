/** Says in words whose commands a list of commands has. */
import type { SuiteCommand } from '../../../../schemas/suite_command.ts'

/** "the suite", "the skill" or "the suite and the skill". */
export function commandOwner(commands: readonly SuiteCommand[]): string {
  const bySkill = commands.filter(({ source }) => source !== undefined).length
  if (bySkill === 0) return 'the suite'
  return bySkill === commands.length ? 'the skill' : 'the suite and the skill'
}
