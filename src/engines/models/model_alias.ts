/** The short names that an engine takes for models: a near miss of one is refused, because it would fail in every run. */
import { UserError } from '../../base/errors/error.ts'
import { findMisspelling } from '../../base/text/did_you_mean.ts'
import { findEngine, isEngineName } from '../table.ts'
import { isProvider, providers } from './providers.ts'

/** A larger context of the same model, as Claude Code writes it. */
const largeContext = /\[1m\]$/

/** The engines that take the models of every provider, and their short names. */
const everyProvider: readonly string[] = ['opencode', 'pi', 'copilot']

/** All short names of an engine: its provider's and its own. */
export function listModelAliases(engine: string): string[] {
  const own = isEngineName(engine) ? (findEngine(engine).aliases ?? []) : []
  const served = Object.values(providers).filter(({ engines }) => engines.some((one) => one === engine))
  const used = everyProvider.includes(engine) ? Object.values(providers) : served
  return [...new Set([...used.flatMap(({ aliases }) => Object.keys(aliases)), ...own])]
}

/**
 * The model without a provider's name before a colon, which marks it as an exact id. Otherwise a short name in other capitals, or with
 * its family before it (claude-opus), becomes that name, and a near miss is refused: no digits, and at most two letters differ. Throws UserError.
 */
export function checkModelName(engine: string, model: string): string {
  const exact = exactId(engine, model)
  if (exact !== null) return exact
  const [context = ''] = largeContext.exec(model) ?? []
  const name = model.slice(0, model.length - context.length)
  const aliases = listModelAliases(engine)
  const same = aliases.find((one) => [one, `claude-${one}`].includes(name.toLowerCase()))
  if (same !== undefined) return `${same}${context}`
  if (/[\d/:]/.test(name)) return model
  const near = findMisspelling(name, aliases)
  if (near === null) return model
  throw new UserError(
    `unknown model ${JSON.stringify(model)} of ${engine}`,
    `did you mean "${near}${context}"? (an exact id is written ${engine}:${exactForm(engine, model)})`,
  )
}

/** The id after a provider of this engine; null: no provider is named. */
function exactId(engine: string, model: string): string | null {
  const [, provider = '', rest = ''] = /^([^:/]+):(.+)$/.exec(model) ?? []
  return isProvider(provider) && servesEngine(provider, engine) ? rest : null
}

/** What passes unchecked: with the provider before it, or as the Gemini API writes it. */
function exactForm(engine: string, model: string): string {
  if (everyProvider.includes(engine)) return `anthropic/${model}`
  const provider = Object.keys(providers).find((one) => isProvider(one) && servesEngine(one, engine))
  return provider === undefined ? `models/${model}` : `${provider}:${model}`
}

function servesEngine(provider: keyof typeof providers, engine: string): boolean {
  return everyProvider.includes(engine) || providers[provider].engines.some((one) => one === engine)
}
