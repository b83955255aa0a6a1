/** Resolves the model that a suite names to an engine. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { listCloudNames } from '../../engines/clouds/table.ts'
import { findEngineProvider } from '../../engines/models/model_family.ts'
import { guessProvider, isProvider, splitProvider } from '../../engines/models/providers.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { isEngineName } from '../../engines/table.ts'

interface SuiteField {
  file: string
  field: 'engine' | 'model' | 'judge'
}

/** Throws UserError for a program: it would get the user's keys, and the suite's author may not choose one. */
export function refuseProgram(text: string, { file, field }: SuiteField): void {
  refuseCloud(text, { file, field })
  if (!text.split(',').some((one) => /^\s*(?:auto\s*:\s*)?command\s*(?::|$)/i.test(one))) return
  const flag = field === 'judge' ? '--judge' : '--engine'
  throw new UserError(
    `${file}: ${field}: refusing to run ${JSON.stringify(text)}, a program named by the suite, with your API keys`,
    `choose another with ${flag} ${field === 'judge' ? 'anthropic:haiku' : 'anthropic'}, or pass the program with ${flag} if you trust it`,
  )
}

/** Throws UserError for a cloud: its runs would get other credentials of the user. */
function refuseCloud(text: string, { file, field }: SuiteField): void {
  const cloud = listCloudNames().find((name) => namesCloud(text, name))
  if (cloud === undefined) return
  const flag = { engine: '--engine', model: '--model', judge: '--judge' }[field]
  throw new UserError(
    `${file}: ${field}: the suite names the cloud ${cloud}, for which only you can choose your credentials`,
    `pass it yourself with ${flag} ${text.trim()}, or choose another model`,
  )
}

function namesCloud(text: string, cloud: string): boolean {
  return new RegExp(`(?:^|[\\s,:])${cloud}:`).test(text)
}

/** The judge that a suite names, which means what it means in --judge. Throws UserError for a program and for a cloud. */
export function allowSuiteJudge(judge: string | undefined, file: string): string | null {
  if (judge === undefined) return null
  refuseProgram(judge, { file, field: 'judge' })
  return judge
}

/** `provider:model` names who serves the model, not the engine, which is chosen automatically. Throws UserError. */
export function resolveSuiteModel(model: string, file: string): EngineChoice {
  refuseProgram(model, { file, field: 'model' })
  const [name] = /^[a-z][a-z0-9_-]*(?=:)/.exec(model) ?? []
  if (name === undefined || isProvider(name)) return { name: 'auto', model }
  if (isEngineName(name)) return resolveEngineChoice({ engine: model, model: null })
  throw new UserError(
    `${file}: the model ${model} belongs to a provider that is not available`,
    'choose another with --engine or --model',
  )
}

/**
 * Keeps the suite's model for an engine without a model, if that engine may serve it: naming an engine does not ask for another model.
 * null: the model is dropped, which `choices` reports.
 */
export function keepSuiteModel(engine: string, model: string | null, choices: string[]): string | null {
  if (model === null || engine.includes(':')) return null
  if (listCloudNames().some((cloud) => namesCloud(model, cloud))) {
    choices.push(`the suite's model ${model} is not used: it names a cloud, which only you can choose with --model`)
    return null
  }
  if (model.startsWith(`${engine}:`)) return model
  const { provider, rest } = splitProvider(model)
  const whose = provider ?? guessProvider(rest)
  const mayBeAnyones = whose === null && !rest.includes(':')
  const own = findEngineProvider(engine) ?? ''
  if (isProvider(own) && (mayBeAnyones || own === whose)) return rest
  choices.push(
    `the suite's model ${model} is not used: the engine ${engine} does not serve it; choose another with --model`,
  )
  return null
}
