/** Whether an engine could be asked, as far as this machine tells: a key, a program. No call is made. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { commandWords } from './command_line.ts'
import { findProgram } from './find_program.ts'
import { engineNamed } from './table.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The program of an engine that is one, and the variable that names another. */
const programs: Readonly<Record<string, { setting: string; program: string }>> = {
  'claude-code': { setting: 'WHETSTONE_CLAUDE', program: 'claude' },
  codex: { setting: 'WHETSTONE_CODEX', program: 'codex' },
  opencode: { setting: 'WHETSTONE_OPENCODE', program: 'opencode' },
}

/** null: it can be asked; else what is missing. Throws UserError for an unknown engine. */
export async function missingFor(choice: EngineChoice, env: Environment): Promise<string | null> {
  const engine = engineNamed(choice.name)
  if (choice.name === 'command') {
    const parsed = commandWords(choice.command ?? null)
    if ('mistake' in parsed) return parsed.mistake
    return await missingProgram(parsed.words[0], env)
  }
  const cli = programs[choice.name]
  const gone = cli === undefined ? null : await missingProgram(env[cli.setting] || cli.program, env)
  if (gone !== null) return gone
  const keys = engine.credentials.filter((name) => /_(?:API_KEY|TOKEN)$/.test(name))
  return keys.some((name) => env[name]) ? null : `${keys.join(' or ')} is not set`
}

async function missingProgram(program: string, env: Environment): Promise<string | null> {
  return (await findProgram(program, env.PATH ?? '')) === null ? `${program}: no such program` : null
}
