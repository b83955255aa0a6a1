/** `--engine auto`: finds the first engine that can run, and says why it was chosen. */
import { UserError } from '../../base/errors/error.ts'
import type { Probe } from '../engine.ts'
import { findEngine } from '../table.ts'
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
  const { provider, model } = parseServedModel(request.model ?? null)
  for (const name of autoOrder.filter((one) => [null, findEngineProvider(one)].includes(provider))) {
    const answer = await ask(name, { ...request, model })
    if (answer.ok) {
      const before = failures.length > 0 ? `; ${failures.join('; ')}` : ''
      return { name, why: `the first available: ${answer.detail}${before}` }
    }
    failures.push(`${name}: ${answer.message}`)
  }
  throw new UserError(
    `no engine available (${failures.join('; ')})`,
    'set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name your own agent with --engine "command:…"; `whetstone demo` needs no key',
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
