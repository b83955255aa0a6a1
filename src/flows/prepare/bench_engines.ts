/** Chooses engine, judge and user model of a benchmark: from the flags, else from the suite, else the first available. */
import type { Activation, EngineChoice } from '../../../schemas/plan.ts'
import type { Suite } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { listCloudNames } from '../../engines/clouds/table.ts'
import { sharesServer, withBaseUrl } from '../../engines/models/base_url.ts'
import { withEffort } from '../../engines/models/effort.ts'
import { findEngineProvider } from '../../engines/models/model_family.ts'
import { guessProvider, isProvider, splitProvider } from '../../engines/models/providers.ts'
import { resolveEngineChoice } from '../../engines/models/resolve_model.ts'
import { isEngineName, withSkillsFolder } from '../../engines/table.ts'
import { needsUserModel } from '../../phases/1-plan/plan/plan_conversation.ts'
import type { AutoEngine, JudgingWish } from './choose_engine.ts'

export interface BenchEnginesRequest {
  /** name[:model] or auto. */
  engine: string
  /** null: the suite's model with auto, else the engine's default. */
  model: string | null
  /** The URL of the engine's server, also for a judge on the same engine; null: the environment's. */
  baseUrl?: string | null
  /** How hard the agent's model thinks; absent or null: the engine's default. */
  effort?: string | null
  /** Where a program of the user's looks for skills; null: where known agents look. */
  skillsFolder?: string | null
  /** engine[:model]; null: chosen automatically. */
  judge: string | null
  /** Plays the user and decides conditions, engine[:model]; absent or null: the judge. */
  user?: string | null
  judging?: JudgingWish
  /** null: natural, or answer where the model's server says that it can't call tools. */
  activation: Activation | null
}

export interface BenchEngines {
  engine: EngineChoice
  judge: EngineChoice | null
  /** Absent: no case needs one. */
  user?: EngineChoice
  activation: Activation
  /** Why they were chosen, unless the user named them. */
  choices: string[]
}

/** Throws UserError for an unknown or ambiguous engine or model. */
export async function chooseBenchEngines(
  request: BenchEnginesRequest,
  suite: Suite,
  auto: AutoEngine,
): Promise<BenchEngines> {
  const choices: string[] = []
  const url = request.baseUrl ?? null
  const named = withBaseUrl(resolveNamedEngine(request, suite, choices), url)
  const chosen = named.name === 'auto' ? await auto.choose(named, 'engine', choices) : named
  const reached = withEffort(chosen, request.effort ?? null, '--effort')
  const engine = withSkillsFolder(reached, request.skillsFolder ?? null)
  const activation = await auto.activation(request.activation, engine, choices)
  if (activation === 'answer') choices.push(...describeNeededTools(suite))
  const atServer = (choice: EngineChoice) => (sharesServer(choice, engine) ? withBaseUrl(choice, url) : choice)
  const namedJudge = needsJudge(suite) ? atServer(await auto.judge(request.judge, engine, choices)) : null
  const judge = namedJudge && withEffort(namedJudge, request.judging?.effort ?? null, '--judge-effort')
  const user = await chooseUserModel(request, suite, (text) => auto.user(text, engine, choices), judge)
  return { engine, judge, activation, ...(user && { user: atServer(user) }), choices }
}

/** Types of checks that pass only if the agent used a tool. */
const checksOfTools =
  /^(?:file_(?:exists|count|hash|modified|size)|verifier|tool_(?:used|order)|program_called|script_executed|agent_blocked)$/

/** The cases that can't pass where the model has no tools; empty: there is none. */
function describeNeededTools({ cases }: Pick<Suite, 'cases'>): string[] {
  const needing = cases.flatMap(({ eval_id, cannot_run, files, attach = [], checks }) => {
    const file = files.find((one) => !attach.some(({ path }) => path === one.path))
    const check = checks.find((one) => checksOfTools.test(one.type) || ('path' in one && one.path !== undefined))
    if (cannot_run !== null || (file ?? check) === undefined) return []
    return [`case ${eval_id} (${file ? `input file ${file.path}` : `check ${check?.type}`})`]
  })
  if (needing.length === 0) return []
  return [`activation: answer sends no tools, so nothing reads or writes files in ${needing.join(', ')}`]
}

export function needsJudge({ cases }: Pick<Suite, 'cases'>): boolean {
  return cases.some((one) => one.cannot_run === null && one.expectations.length > 0)
}

/** Plays the user and decides conditions: the one in --user, else the judge. null: no case needs one. */
async function chooseUserModel(
  { user = null }: Pick<BenchEnginesRequest, 'user'>,
  { cases }: Pick<Suite, 'cases'>,
  choose: (text: string | null) => Promise<EngineChoice>,
  judge: EngineChoice | null,
): Promise<EngineChoice | null> {
  if (!cases.some((one) => one.cannot_run === null && needsUserModel(one))) return null
  return user === null && judge !== null ? judge : await choose(user)
}

/** `auto` stays `auto`. */
function resolveNamedEngine({ engine, model }: BenchEnginesRequest, suite: Suite, choices: string[]): EngineChoice {
  const suiteModel = model === null ? (suite.defaults?.model ?? null) : null
  if (engine === 'auto' && suiteModel !== null)
    return resolveSuiteModel(suiteModel, suite.defaults?.model_file ?? suite.path)
  return resolveEngineChoice({ engine, model: model ?? keepSuiteModel(engine, suiteModel, choices) })
}

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
function resolveSuiteModel(model: string, file: string): EngineChoice {
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
