/** Who serves models: the providers that a model string may name before its colon, and the short names of their models. */

interface Provider {
  /** The engines that can reach it. */
  engines: readonly string[]
  /** Short names and the model ids that they stand for where an engine knows no short names itself. */
  aliases: Readonly<Record<string, string>>
  /** What the ids of its models look like. */
  ids: RegExp
}

export const providers = {
  anthropic: {
    engines: ['anthropic', 'claude-code'],
    aliases: { sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5', haiku: 'claude-haiku-5-5' },
    ids: /^claude-/,
  },
  openai: { engines: ['openai', 'codex'], aliases: {}, ids: /^(?:gpt-|o\d|chatgpt-|codex-)/ },
} satisfies Record<string, Provider>

const defaultAnthropicModel = providers.anthropic.aliases.sonnet

/** The model id for the Anthropic API: a short name becomes its id, null the default, anything else stays. */
export function anthropicModel(model: string | null): string {
  const aliases: Readonly<Record<string, string>> = providers.anthropic.aliases
  return model === null ? defaultAnthropicModel : Object.hasOwn(aliases, model) ? (aliases[model] ?? model) : model
}

export function isProvider(name: string): name is keyof typeof providers {
  return Object.hasOwn(providers, name)
}

/** `anthropic:claude-x` in its two parts; without the name of a provider before a colon all of it is the model. */
export function splitProvider(text: string): { provider: keyof typeof providers | null; rest: string } {
  const [, name = '', rest = ''] = /^([^:]*):(.+)$/.exec(text) ?? []
  return isProvider(name) ? { provider: name, rest } : { provider: null, rest: text }
}

/** The model id for the OpenAI API; null is the default. */
export function openaiModel(model: string | null): string {
  return model ?? 'gpt-5.4'
}

/** Whose model this is, by its short name or the look of its id; null: it may be anyone's. */
export function providerOf(model: string): keyof typeof providers | null {
  const table: Readonly<Record<string, Provider>> = providers
  const name = Object.keys(table).find((one) => {
    return Object.hasOwn(table[one]?.aliases ?? {}, model) || table[one]?.ids.test(model)
  })
  return name !== undefined && isProvider(name) ? name : null
}

/** Who serves what an engine asks, by the engine, else by the provider or the look of the id in its model's name; null: nobody says. */
export function servedBy({ name, model }: { name: string; model: string | null }): string | null {
  const table: Readonly<Record<string, Provider>> = providers
  const own = Object.keys(table).find((one) => table[one]?.engines.includes(name))
  if (own !== undefined) return own
  if (name === 'command' || model === null) return null
  const [before = '', ...id] = model.split('/')
  return id.length > 0 && isProvider(before) ? before : providerOf(model)
}
