/** The model that a suite names, as an engine to ask for it. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { resolveEngineChoice } from '../engines/models.ts'
import { isProvider, providerOf, providers, splitProvider } from '../engines/providers.ts'
import { isEngineName } from '../engines/table.ts'

interface Said {
  file: string
  field: 'engine' | 'model' | 'judge'
}

/** What a suite names gets the keys of the user, so it may be no program: who wrote the suite does not choose that. Throws UserError. */
export function refuseProgram(text: string, { file, field }: Said): void {
  if (!text.split(',').some((one) => /^\s*(?:auto\s*:\s*)?command\s*(?::|$)/i.test(one))) return
  const flag = field === 'judge' ? '--judge' : '--engine'
  throw new UserError(
    `${file}: ${field}: ${JSON.stringify(text)} would have a program of the suite run with your keys; only the command line, or a configuration file of your own, may name one`,
    `name another, such as ${flag} ${field === 'judge' ? 'anthropic:haiku' : 'anthropic'}; or, where you have read that program and trust it, name it yourself with ${flag}`,
  )
}

/** The judge that a suite names, asked through the engine of the runs where that can: the user can log in to that one at least. Throws UserError. */
export function judgeOfSuite(judge: string | undefined, file: string, { name }: EngineChoice): string | null {
  if (judge === undefined) return null
  refuseProgram(judge, { file, field: 'judge' })
  const provider = providerOf(judge)
  const engines: readonly string[] = provider === null ? [] : providers[provider].engines
  return engines.includes(name) ? `${name}:${judge}` : judge
}

/** `provider:model` says who serves the model, not through which engine: that one is chosen. Throws UserError. */
export function modelOfSuite(model: string, file: string): EngineChoice {
  refuseProgram(model, { file, field: 'model' })
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
