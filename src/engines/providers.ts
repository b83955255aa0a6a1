/** Who serves models: the providers that a model string may name before its colon, and the short names of their models. */

interface Provider {
  /** The engines that can reach it. */
  engines: readonly string[]
  /** Short names and the model ids that they stand for where an engine knows no short names itself. */
  aliases: Readonly<Record<string, string>>
}

export const providers = {
  anthropic: {
    engines: ['anthropic', 'claude-code'],
    aliases: { sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5', haiku: 'claude-haiku-5-5' },
  },
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
