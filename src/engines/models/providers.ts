/** The providers of models, which a model string may name before its colon, and the short names of their models. */
import { findCloud, splitCloud } from '../clouds/table.ts'

interface Provider {
  /** Model ids by short name, for engines that know no short names themselves. */
  aliases: Readonly<Record<string, string>>
  ids: RegExp
}

export const providers = {
  anthropic: {
    // the newest of each family whose price is listed: under --budget a short name needs a known price
    aliases: {
      sonnet: 'claude-sonnet-5-5',
      opus: 'claude-opus-5-5',
      haiku: 'claude-haiku-4-5',
      fable: 'claude-fable-5-1',
    },
    ids: /^claude-/,
  },
  openai: { aliases: {}, ids: /^(?:gpt-|o\d|chatgpt-|codex-)/ },
} satisfies Record<string, Provider>

const defaultAnthropicModel = providers.anthropic.aliases.sonnet

/**
 * The model id for the Anthropic API: a short name becomes its id, null becomes the default, anything else is kept. A cloud before the
 * name stays, and its short names become its own ids.
 */
export function anthropicModel(model: string | null): string {
  const { cloud, model: name } = splitCloud(model)
  if (name === null) return defaultAnthropicModel
  const aliases: Readonly<Record<string, string>> =
    cloud === null ? providers.anthropic.aliases : findCloud(cloud).aliases
  const id = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name
  return cloud === null ? id : `${cloud}:${id}`
}

export function isProvider(name: string): name is keyof typeof providers {
  return Object.hasOwn(providers, name)
}

/** Splits `anthropic:claude-x` in two; without a provider's name before a colon, the whole text is the model. */
export function splitProvider(text: string): { provider: keyof typeof providers | null; rest: string } {
  const [, name = '', rest = ''] = /^([^:]*):(.+)$/.exec(text) ?? []
  return isProvider(name) ? { provider: name, rest } : { provider: null, rest: text }
}

/** The model id for the OpenAI API; null is the default. */
export function openaiModel(model: string | null): string {
  return model ?? 'gpt-5.4'
}

/** The provider of a model, by its short name or the pattern of its id; null: unknown. */
export function guessProvider(model: string): keyof typeof providers | null {
  const table: Readonly<Record<string, Provider>> = providers
  const name = Object.keys(table).find((one) => {
    return Object.hasOwn(table[one]?.aliases ?? {}, model) || table[one]?.ids.test(model)
  })
  return name !== undefined && isProvider(name) ? name : null
}
