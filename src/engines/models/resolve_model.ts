/** The only resolver of model strings: alias, model id, provider:model, cloud:model, engine:model, command:<line>, acp:<line>. Pure. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { findMisspelling, suggestChoice } from '../../base/text/did_you_mean.ts'
import { findCloud, isCloudName, listCloudNames, splitCloud } from '../clouds/table.ts'
import { findEngine, isEngineName, listEngineNames, refuseReserved, takesCommand } from '../table.ts'
import { findEngineProvider, guessJudgeEngine } from './model_family.ts'
import { anthropicModel, guessProvider, isProvider, providers } from './providers.ts'

export interface EngineRequest {
  /** The text of --engine: `auto`, an engine, `engine:model`, `command:<command line>` or `acp:<command line>`. */
  engine: string
  /** The text of --model: an alias, a model id, `provider:model` or `engine:model`; null: not given. */
  model: string | null
}

/**
 * Resolves --engine and --model together. `auto` stays `auto`, for the caller to choose. A reserved engine's
 * name counts as a model only if an engine is named.
 * Throws UserError for an unknown engine, and for an ambiguous text, with all its readings.
 */
export function resolveEngineChoice(request: EngineRequest): EngineChoice {
  const { name, rest } = splitEngine(request.engine.trim())
  const model = request.model?.trim() || null
  if (takesCommand(name)) return commandChoice(name, rest, model)
  if (name === 'auto') return rest === null ? autoChoice(model) : autoChoice(sameModel(rest, model, request))
  if (isCloudName(name)) throw cloudAsEngine(name, rest)
  findEngine(name)
  if (model !== null && rest !== null) return makeChoice(name, sameModel(rest, model, request))
  return makeChoice(name, model === null ? rest : resolveModelForEngine(name, model))
}

/**
 * Parses the name of a judge: `engine[:model]`, `auto`, or a model alone, for which it returns its provider's API (by the pattern of its
 * id; otherwise Anthropic's), or Gemini CLI for a Gemini model. `resolveJudge` then finds an engine for it. Throws UserError as above.
 */
export function resolveJudgeChoice(text: string): EngineChoice {
  const given = text.trim()
  const { name, rest } = splitEngine(given)
  if (takesCommand(name) && rest !== null) refuseList(rest)
  if (name === 'auto' || isEngineName(name)) return resolveEngineChoice({ engine: given, model: null })
  if (given === '')
    throw new UserError('--judge: empty', 'expected engine[:model] or a model, such as --judge anthropic:haiku')
  if (rest !== null && isProvider(name)) return makeChoice(name, rest)
  if (rest !== null && isCloudName(name)) return makeChoice(findCloud(name).engines[0] ?? name, given)
  refuseReserved(name)
  const engine = guessJudgeEngine(given)
  const names = [...new Set([...listEngineNames(), ...Object.keys(providers), ...listCloudNames()])]
  const isModelTag = engine !== null || /\d|^latest$/.test(rest ?? '') // llama3:8b, mistral:latest
  const isEngineMeant = rest !== null && (!isModelTag || findMisspelling(name, names) !== null)
  if (isEngineMeant) throw new UserError(`--judge "${given}": unknown engine "${name}"`, suggestJudge(name, names))
  return makeChoice(engine ?? 'anthropic', given)
}

/** The provider of a judge that is named by its model alone; null: the text names an engine, or a model of unknown provider. */
export function findJudgeProvider(text: string): keyof typeof providers | null {
  const given = text.trim()
  const { name } = splitEngine(given)
  if (name === 'auto' || isEngineName(name) || isProvider(name) || isCloudName(name)) return null
  return guessProvider(given)
}

function suggestJudge(name: string, names: readonly string[]): string {
  return `${suggestChoice(name, names)} (a model whose id contains ":" needs its engine: --judge anthropic:<model>)`
}

/** A comma may belong to the command line. Refused if the text after it, up to the end, names engines and the word before it does not. */
function refuseList(line: string): void {
  const [, before = '', after] = /^(?:.*\s)?([^\s,]*),\s*(\S+)$/.exec(line) ?? []
  const isNamed = (text: string) => {
    const { name } = splitEngine(text)
    return isEngineName(name) || isProvider(name) || isCloudName(name) || name === 'auto'
  }
  if (after === undefined || isNamed(before) || !after.split(',').every(isNamed)) return
  throw new UserError(
    `--judge: a command can't be part of a list ("${after}" would become part of its command line)`,
    'name only the command, or a list of engines; move a comma of the command into a script',
  )
}

function splitEngine(text: string): { name: string; rest: string | null } {
  const colon = text.indexOf(':')
  if (colon < 0) return { name: text, rest: null }
  return { name: text.slice(0, colon), rest: text.slice(colon + 1).trim() || null }
}

/** Everything after `command:` or `acp:` is the command line; the model is passed on unchanged. */
function commandChoice(name: string, command: string | null, model: string | null): EngineChoice {
  if (command !== null) return { name, model, command }
  const example = findEngine(name).takesCommand?.example
  throw new UserError(`--engine ${name}: no command`, `add it: --engine "${name}:${example}"`)
}

function autoChoice(model: string | null): EngineChoice {
  if (model === null) return { name: 'auto', model }
  const { name, rest } = splitEngine(model)
  if (isEngineName(model)) {
    throw conflict(`--model ${model}`, [`--engine ${model} (its default model)`, `a model named ${model}`])
  }
  refuseReserved(name)
  if (rest === null) return { name: 'auto', model }
  if (isCloudName(name)) return cloudChoice(model, findCloud(name).engines)
  const engines = isProvider(name) ? listServingEngines(name) : []
  if (engines.length > 1) {
    throw conflict(
      `--model ${model}`,
      engines.map((engine) => `--engine ${engine}:${rest}`),
    )
  }
  return isEngineName(name) ? resolveEngineChoice({ engine: model, model: null }) : { name: 'auto', model }
}

function cloudChoice(model: string, engines: readonly string[]): EngineChoice {
  const [only, ...others] = engines
  if (only !== undefined && others.length === 0) return makeChoice(only, model)
  throw conflict(
    `--model ${model}`,
    engines.map((engine) => `--engine ${engine} --model ${model}`),
  )
}

function cloudAsEngine(cloud: string, rest: string | null): UserError {
  const [engine] = findCloud(cloud).engines
  return new UserError(
    `--engine ${cloud}: this is a cloud, not an engine`,
    `write --engine ${engine} --model ${cloud}:${rest ?? 'MODEL'}`,
  )
}

function resolveModelForEngine(engine: string, model: string): string | null {
  const { name, rest } = splitEngine(model)
  if (isEngineName(model)) {
    throw conflict(`--engine ${engine} --model ${model}`, [`--engine ${engine}`, `--engine ${model}`])
  }
  // the provider's name stays: it marks an exact id
  if (isProvider(name) && findEngineProvider(engine) === name) return model
  if (rest === null || name === engine) return rest ?? model
  if (isCloudName(name)) return model
  if (!isEngineName(name) && !isProvider(name)) return model
  throw conflict(`--engine ${engine} --model ${model}`, [`--engine ${engine}:${rest}`, `--engine ${model}`])
}

/** Both --engine a:x and --model y are given, which is allowed only if they name the same model. */
function sameModel(rest: string, model: string | null, request: EngineRequest): string {
  if (model === null || model === rest) return rest
  const { name } = splitEngine(request.engine)
  if (name !== 'auto' && finalModel(name, resolveModelForEngine(name, model)) === finalModel(name, rest)) return rest
  throw conflict(`--engine ${request.engine} with --model ${model}`, [
    `--engine ${name}:${rest}`,
    `--engine ${name} --model ${model}`,
  ])
}

function makeChoice(name: string, model: string | null): EngineChoice {
  const { cloud } = splitCloud(model)
  const engines = cloud === null ? null : findCloud(cloud).engines
  if (cloud !== null && engines?.includes(name) === false) {
    throw new UserError(
      `--model ${model}: the engine ${name} can't reach ${findCloud(cloud).title}`,
      `choose --engine ${engines.join(' or ')}`,
    )
  }
  return { name, model: model === null ? null : finalModel(name, model) }
}

/** Claude Code knows its short names itself; the API needs ids. Throws UserError for a near miss of a short name. */
function finalModel(engine: string, model: string | null): string | null {
  if (model === null) return null
  const checked = checkModelName(engine, model)
  return engine === 'anthropic' ? anthropicModel(checked) : checked
}

function conflict(what: string, readings: readonly string[]): UserError {
  return new UserError(`${what} is ambiguous: ${readings.join('; or ')}`, 'use one of these forms')
}

/** A larger context of the same model, as Claude Code writes it. */
const largeContext = /\[1m\]$/

/** The engines that take only a provider's models: its API, which has its name, then the others. */
export function listServingEngines(provider: keyof typeof providers): string[] {
  const others = listEngineNames().filter((name) => name !== provider && findEngineProvider(name) === provider)
  return [provider, ...others]
}

/** All short names of an engine: its provider's and its own. */
export function listModelAliases(engine: string): string[] {
  const own = isEngineName(engine) ? (findEngine(engine).aliases ?? []) : []
  const used = Object.keys(providers).filter(isProvider)
  const short = used.flatMap((one) => (servesEngine(one, engine) ? Object.keys(providers[one].aliases) : []))
  return [...new Set([...short, ...own])]
}

/**
 * The model without a provider's name before a colon, which marks it as an exact id. Otherwise a short name in other capitals, or with
 * its family before it (claude-opus), becomes that name, and a near miss is refused: no digits, and at most two letters differ. Throws UserError.
 */
function checkModelName(engine: string, model: string): string {
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
  if (findEngineProvider(engine) === 'every') return `anthropic/${model}`
  const provider = Object.keys(providers).find((one) => isProvider(one) && servesEngine(one, engine))
  return provider === undefined ? `models/${model}` : `${provider}:${model}`
}

function servesEngine(provider: keyof typeof providers, engine: string): boolean {
  return ['every', provider].includes(findEngineProvider(engine) ?? '')
}
