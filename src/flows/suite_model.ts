/** The model that a suite names, as an engine to ask for it. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { resolveEngineChoice } from '../engines/models.ts'
import { isProvider } from '../engines/providers.ts'
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
