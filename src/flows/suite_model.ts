/** The model that a suite names, as an engine to ask for it. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { resolveEngineChoice } from '../engines/models.ts'
import { isProvider, providerOf, providers, splitProvider } from '../engines/providers.ts'
import { isEngineName } from '../engines/table.ts'

/** `provider:model` says who serves the model, not through which engine: that one is chosen. Throws UserError. */
export function modelOfSuite(model: string, file: string): EngineChoice {
  const [name] = /^[a-z][a-z0-9_-]*(?=:)/.exec(model) ?? []
  if (name === undefined || isProvider(name)) return { name: 'auto', model }
  if (isEngineName(name)) return resolveEngineChoice({ engine: model, model: null })
  throw new UserError(
    `${file}: the model ${model} is of a provider that is not reached from here`,
    'name one with --engine or --model',
  )
}

/**
 * Where an engine is named without a model, the suite's own stays if that engine may serve it: who names the engine has not said
 * that another model is to be tested. null: it isn't asked for, which `choices` then tells.
 */
export function modelKeptOn(engine: string, model: string | null, choices: string[]): string | null {
  if (model === null || engine.includes(':')) return null
  if (model.startsWith(`${engine}:`)) return model
  const { provider, rest } = splitProvider(model)
  const whose = provider ?? providerOf(rest)
  const mayBeAnyones = whose === null && !rest.includes(':')
  const isServed = Object.entries(providers).some(
    ([name, { engines }]) => engines.some((one) => one === engine) && (mayBeAnyones || name === whose),
  )
  if (isServed) return rest
  choices.push(
    `the suite's model ${model} is not asked for: the engine ${engine} does not serve it; --model names another`,
  )
  return null
}
