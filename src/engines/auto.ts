/** `--engine auto`: the first engine that can work, and why it was taken. */
import { UserError } from '../base/error.ts'
import { credentialsOf } from './base_url.ts'
import type { Probe } from './engine.ts'
import { providerOf, providers, splitProvider } from './providers.ts'
import { engineNamed } from './table.ts'

export interface AutoRequest {
  /** The user's environment, from which each engine gets the credentials that it names. */
  user: Readonly<Record<string, string | undefined>>
  /** The environment to start a CLI with (own HOME). */
  env: Readonly<Record<string, string>>
  signal: AbortSignal
  /** The model that is asked for, its provider before a colon where that is said; null: the engine's default. */
  model?: string | null
}

/** The engines that are asked. */
const autoOrder: readonly string[] = ['claude-code', 'anthropic', 'codex', 'openai']

/** Asks the engines in order. Throws UserError `no-engine` that says of each why it can't work; rejects when aborted. */
export async function chooseEngine(request: AutoRequest): Promise<{ name: string; why: string }> {
  const failures: string[] = []
  const { provider, model } = servedBy(request.model ?? null)
  const able: readonly string[] = provider === null ? autoOrder : providers[provider].engines
  for (const name of autoOrder.filter((one) => able.includes(one))) {
    const answer = await ask(name, { ...request, model })
    if (answer.ok) {
      const before = failures.length > 0 ? `; ${failures.join('; ')}` : ''
      return { name, why: `the first that can work: ${answer.detail}${before}` }
    }
    failures.push(`${name}: ${answer.message}`)
  }
  throw new UserError(
    `no engine can work: ${failures.join('; ')}`,
    'install Claude Code (npm install -g @anthropic-ai/claude-code) and export ANTHROPIC_API_KEY, or export the key alone ' +
      'for --engine anthropic, or OPENAI_API_KEY for --engine openai, or bring your own agent with --engine "command:…"; `whetstone demo` needs no key',
    'no-engine',
  )
}

function servedBy(model: string | null): { provider: keyof typeof providers | null; model: string | null } {
  if (model === null) return { provider: null, model }
  const { provider, rest } = splitProvider(model)
  return provider === null ? { provider: providerOf(model), model } : { provider, model: rest }
}

function ask(name: string, { user, env, signal, model = null }: AutoRequest): Promise<Probe> {
  const engine = engineNamed(name)
  const credentials = credentialsOf(engine, null, user)
  return engine.probe({ model, command: null, credentials, env, signal })
}
