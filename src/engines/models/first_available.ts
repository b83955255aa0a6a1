/** `--engine auto`: finds the first engine that this machine has what it needs for, and says why it was chosen. No call is made. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { findProgram } from '../cli/find_program.ts'
import { cloudOfModel } from '../clouds/table.ts'
import { splitCommandLine } from '../command_line.ts'
import type { Probe } from '../engine.ts'
import { findEngine, listEngines, takesCommand } from '../table.ts'
import { selectCredentials } from './base_url.ts'
import { findEngineProvider } from './model_family.ts'
import { guessProvider, type providers, splitProvider } from './providers.ts'

export interface AutoRequest {
  /** The user's environment, from which each engine gets the credentials that it names. */
  user: Readonly<Record<string, string | undefined>>
  /** The environment to start a CLI with (own HOME). */
  env: Readonly<Record<string, string>>
  signal: AbortSignal
  /** The requested model, with its provider before a colon if one is given; null: the engine's default. */
  model?: string | null
}

/** The engines that are probed, in this order; the others work only if they are named. */
export const autoOrder: readonly string[] = ['claude-code', 'anthropic', 'codex', 'openai']

/** Probes the engines in order. Throws UserError `no-engine`, which says for each why it can't run; rejects when aborted. */
export async function chooseAutoEngine(request: AutoRequest): Promise<{ name: string; why: string }> {
  const failures: string[] = []
  let login: string | null = null
  const { provider, model } = parseServedModel(request.model ?? null)
  for (const name of autoOrder.filter((one) => [null, findEngineProvider(one)].includes(provider))) {
    const answer = await ask(name, { ...request, model })
    if (answer.ok) {
      const before = failures.length > 0 ? `; ${failures.join('; ')}` : ''
      return { name, why: `the first available: ${answer.detail}${before}` }
    }
    failures.push(`${name}: ${answer.message}`)
    // the program is there, and perhaps logged in
    if (name === autoOrder[0] && answer.kind === 'credentials') login = answer.fix
  }
  for (const { name } of listEngines().filter(({ needsNoKey }) => needsNoKey)) {
    const answer = await ask(name, request)
    if (!answer.ok) continue
    const fix = `add --engine ${name} (${answer.detail})`
    throw new UserError(`no engine available (${failures.join('; ')})`, fix, 'no-engine')
  }
  throw new UserError(
    `no engine available (${failures.join('; ')})`,
    `${login ?? 'set ANTHROPIC_API_KEY or OPENAI_API_KEY'}, or name your own agent with --engine "command:…"; \`whetstone demo\` needs no key`,
    'no-engine',
  )
}

function parseServedModel(model: string | null): { provider: keyof typeof providers | null; model: string | null } {
  if (model === null) return { provider: null, model }
  const { provider, rest } = splitProvider(model)
  return provider === null ? { provider: guessProvider(model), model } : { provider, model: rest }
}

function ask(name: string, { user, env, signal, model = null }: AutoRequest): Promise<Probe> {
  const engine = findEngine(name)
  const credentials = selectCredentials(engine, null, user)
  return engine.probe({ model, command: null, credentials, env, signal })
}

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
  const given = selectCredentials(engine, choice, env)
  return engine.needsNoKey || keys.some((name) => given[name]) ? null : `${keys.join(' or ')} is not set`
}

async function missingProgram(program: string, env: Environment): Promise<string | null> {
  return (await findProgram(program, env.PATH ?? '')) === null ? `${program}: no such program` : null
}
