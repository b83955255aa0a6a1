/** Finds the program of a suite that would start in place of the command engine's own. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import type { SuitePrograms } from '../../../schemas/suite.ts'
import { splitCommandLine } from './command_line.ts'

/** What the user should know and do; null: no program of the suite has the name. */
export function describeShadowingProgram(
  { command }: Pick<EngineChoice, 'command'>,
  { executables, answers }: Pick<SuitePrograms, 'executables' | 'answers'>,
): { message: string; fix: string } | null {
  const agent = command === undefined ? null : splitCommandLine(command)
  const [first] = agent !== null && 'words' in agent ? agent.words : []
  if (first === undefined || ![...executables, ...Object.keys(answers)].includes(first)) return null
  return {
    message: `evals/bin/${first} would start in place of the agent's program`,
    fix: `name the agent's program by its path, such as /usr/bin/${first}`,
  }
}
