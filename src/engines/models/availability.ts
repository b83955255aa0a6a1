/** Checks whether this machine has what an engine needs: a key, a program. No call is made. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { findProgram } from '../cli/find_program.ts'
import { cloudOfModel } from '../clouds/table.ts'
import { splitCommandLine } from '../command/command_line.ts'
import { findEngine, takesCommand } from '../table.ts'
import { selectCredentials } from './base_url.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The programs of the engines that start one, and the variables that name another program. */
const programs: Readonly<Record<string, { setting: string; program: string }>> = {
  'claude-code': { setting: 'WHETSTONE_CLAUDE', program: 'claude' },
  codex: { setting: 'WHETSTONE_CODEX', program: 'codex' },
  opencode: { setting: 'WHETSTONE_OPENCODE', program: 'opencode' },
  pi: { setting: 'WHETSTONE_PI', program: 'pi' },
  copilot: { setting: 'WHETSTONE_COPILOT', program: 'copilot' },
  gemini: { setting: 'WHETSTONE_GEMINI', program: 'gemini' },
  qwen: { setting: 'WHETSTONE_QWEN', program: 'qwen' },
}

/** What is missing; null: nothing. Throws UserError for an unknown engine. */
export async function findMissingRequirement(choice: EngineChoice, env: Environment): Promise<string | null> {
  const engine = findEngine(choice.name)
  if (takesCommand(choice.name)) {
    const parsed = splitCommandLine(choice.command ?? null)
    if ('mistake' in parsed) return parsed.mistake
    return await missingProgram(parsed.words[0], env)
  }
  const cli = programs[choice.name]
  const gone = cli === undefined ? null : await missingProgram(env[cli.setting] || cli.program, env)
  if (gone !== null) return gone
  const cloud = cloudOfModel(choice.model)
  if (cloud !== null) return cloud.findGap(selectCredentials(engine, choice, env))?.message ?? null
  const keys = engine.credentials.filter((name) => /_(?:API_KEY|TOKEN)$/.test(name))
  return keys.some((name) => env[name]) ? null : `${keys.join(' or ')} is not set`
}

async function missingProgram(program: string, env: Environment): Promise<string | null> {
  return (await findProgram(program, env.PATH ?? '')) === null ? `${program}: no such program` : null
}
