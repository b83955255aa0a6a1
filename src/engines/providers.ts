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
