/** Checks whether this machine has what an engine needs: a key, a program. No call is made. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { findProgram } from '../cli/find_program.ts'
import { cloudOfModel } from '../clouds/table.ts'
import { splitCommandLine } from '../command/command_line.ts'
import { findEngine, takesCommand } from '../table.ts'
import { selectCredentials } from './base_url.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What is missing; null: nothing. Throws UserError for an unknown engine. */
export async function findMissingRequirement(choice: EngineChoice, env: Environment): Promise<string | null> {
  const engine = findEngine(choice.name)
  if (takesCommand(choice.name)) {
    const parsed = splitCommandLine(choice.command ?? null)
    if ('mistake' in parsed) return parsed.mistake
    return await missingProgram(parsed.words[0], env)
  }
  const { cli } = engine
  const gone = cli === undefined ? null : await missingProgram(env[cli.variable] || cli.name, env)
  if (gone !== null) return gone
  const cloud = cloudOfModel(choice.model)
  if (cloud !== null) return cloud.findGap(selectCredentials(engine, choice, env))?.message ?? null
  const keys = engine.credentials.filter((name) => /_(?:API_KEY|TOKEN)$/.test(name))
  return keys.some((name) => env[name]) ? null : `${keys.join(' or ')} is not set`
}

async function missingProgram(program: string, env: Environment): Promise<string | null> {
  return (await findProgram(program, env.PATH ?? '')) === null ? `${program}: no such program` : null
}
