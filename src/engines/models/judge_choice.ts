/** Chooses a judge from a recommended list: one of another family than the agent's if available, else one of its own, with a warning. */
import type { EngineChoice } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { findMissingRequirement } from './first_available.ts'
import { sharedFamily } from './model_family.ts'
import { findJudgeProvider, listServingEngines, resolveEngineChoice, resolveJudgeChoice } from './resolve_model.ts'

export interface RecommendedJudges {
  /** In order of preference. */
  crossFamily: readonly EngineChoice[]
  /** Used if none of those is available. */
  sameFamilyFallback: readonly EngineChoice[]
}

export interface JudgeSelection {
  judge: EngineChoice
  /** One line that says why this judge was chosen. */
  why: string
  /** null: the judge is of another family than the agent, or a family is unknown. */
  warning: string | null
}

export interface JudgeSelectionRequest {
  recommended: RecommendedJudges
  /** The agent whose work is judged. Its own model never judges it. */
  agent: EngineChoice
  /** The user's environment: its keys and PATH decide which judges are available. */
  env: Readonly<Record<string, string | undefined>>
}

/**
 * Resolves a judge's name, the same in --judge, eval-config.json and judge.md. A model alone is asked through its provider's API if there
 * is a key (the fastest way), else through the engine of the runs if that serves it, else through an agent CLI of the provider that this
 * machine can use, such as one with the token of a subscription. Throws UserError.
 */
export async function resolveJudge(
  text: string,
  agent: EngineChoice,
  env: JudgeSelectionRequest['env'],
): Promise<EngineChoice> {
  const choice = resolveJudgeChoice(text)
  const provider = findJudgeProvider(text)
  if (provider === null) return choice
  if ((await findMissingRequirement(choice, env)) === null) return choice
  const engines = listServingEngines(provider)
  if (engines.includes(agent.name)) return resolveEngineChoice({ engine: agent.name, model: text })
  for (const name of engines) {
    const able = resolveEngineChoice({ engine: name, model: text })
    if ((await findMissingRequirement(able, env)) === null) return able
  }
  return choice
}

/** Selects a judge without calling any. Throws UserError `no-judge`, which says for each why it was not chosen. */
export async function selectJudge({ recommended, agent, env }: JudgeSelectionRequest): Promise<JudgeSelection> {
  const passed: string[] = []
  const lists = [
    [recommended.crossFamily, 'first of another family'],
    [recommended.sameFamilyFallback, "fallback of the agent's own family"],
  ] as const
  for (const [list, how] of lists) {
    for (const judge of list) {
      const missing = isSame(judge, agent) ? "the agent's own model" : await findMissingRequirement(judge, env)
      if (missing === null) {
        const why = [`${how}: ${judgeName(judge)}`, ...passed].join('; ')
        return { judge, why, warning: familyWarning(judge, agent) }
      }
      passed.push(`not ${judgeName(judge)} (${missing})`)
    }
  }
  throw new UserError(
    `no judge available: ${passed.join('; ') || 'none is recommended'}`,
    'set the key or install the program of one of them, or name another with --judge',
    'no-judge',
  )
}

/** Parses a list of --judge and splits it by family. Throws UserError for a mistake in a name, and for a command or auto in the list. */
export async function parseJudgeList(
  text: string,
  agent: EngineChoice,
  env: JudgeSelectionRequest['env'],
): Promise<RecommendedJudges> {
  const all: EngineChoice[] = []
  for (const name of text.split(',').map((one) => one.trim())) {
    if (/^command\b/.test(name)) throw new UserError('--judge: a command in a list', 'name only the command')
    const choice = await resolveJudge(name, agent, env)
    if (choice.name === 'auto')
      throw new UserError('--judge: a list cannot contain auto', 'pass engines, such as openai,anthropic')
    all.push(choice)
  }
  const isShared = (judge: EngineChoice) => sharedFamily(judge, agent) !== null
  return { crossFamily: all.filter((one) => !isShared(one)), sameFamilyFallback: all.filter(isShared) }
}

/** Whether --judge names several judges. */
export function isJudgeList(text: string): boolean {
  return text.includes(',') && !/^\s*command\b/.test(text)
}

/** A warning that judge and agent are of the same family; null: they are not, or a family is unknown. */
export function familyWarning(judge: EngineChoice, agent: EngineChoice): string | null {
  const family = sharedFamily(judge, agent)
  if (family === null) return null
  return `the judge ${judgeName(judge)} is from the agent's model family (${family}), and judges favour their own`
}

const others = ['anthropic', 'openai', 'claude-code', 'codex'].map((name) => ({ name, model: null }))

/** The first available judge of another family; null: this machine has none. */
export async function findCrossFamilyJudge(
  agent: EngineChoice,
  env: JudgeSelectionRequest['env'],
): Promise<EngineChoice | null> {
  for (const judge of others) {
    if (sharedFamily(judge, agent) === null && (await findMissingRequirement(judge, env)) === null) return judge
  }
  return null
}

function isSame(judge: EngineChoice, agent: EngineChoice): boolean {
  return judge.name === agent.name && judge.model === agent.model && judge.command === agent.command
}

/** `engine:model`, or the engine alone if no model is named. */
export function judgeName({ name, model }: EngineChoice): string {
  return [name, model].filter(Boolean).join(':')
}
