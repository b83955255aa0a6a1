/** Which judge of a recommended list is taken: the first of another family that can be asked, else one of the agent's own, with a warning. */
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { missingFor } from './available.ts'
import { sharedFamily } from './family.ts'
import { resolveJudgeChoice } from './models.ts'

export interface RecommendedJudges {
  /** In the order of preference. */
  crossFamily: readonly EngineChoice[]
  /** Taken where none of those can be asked. */
  sameFamilyFallback: readonly EngineChoice[]
}

export interface JudgeSelection {
  judge: EngineChoice
  /** One line: why this one. */
  why: string
  /** null: it is of another family than the agent. */
  warning: string | null
}

export interface JudgeSelectionRequest {
  recommended: RecommendedJudges
  /** Whose work is judged. Its own model never judges it. */
  agent: EngineChoice
  /** The user's environment: keys and PATH say who can be asked. */
  env: Readonly<Record<string, string | undefined>>
}

/** Selects. Nobody is called. Throws UserError `no-judge` that says of each why it was not taken. */
export async function selectJudge({ recommended, agent, env }: JudgeSelectionRequest): Promise<JudgeSelection> {
  const passed: string[] = []
  const lists = [
    [recommended.crossFamily, 'first of another family'],
    [recommended.sameFamilyFallback, "fallback of the agent's own family"],
  ] as const
  for (const [list, how] of lists) {
    for (const judge of list) {
      const missing = isSame(judge, agent) ? "the agent's own model" : await missingFor(judge, env)
      if (missing === null) {
        const why = [`${how}: ${judgeName(judge)}`, ...passed].join('; ')
        return { judge, why, warning: familyWarning(judge, agent) }
      }
      passed.push(`not ${judgeName(judge)} (${missing})`)
    }
  }
  throw new UserError(
    `no judge can be asked: ${passed.join('; ') || 'none is recommended'}`,
    'set the key of one of them, or name another with --judge',
    'no-judge',
  )
}

/** A list as --judge names it, parted by family. Throws UserError for a mistake in a name, and for a command in a list. */
export function judgeList(text: string, agent: EngineChoice): RecommendedJudges {
  const names = text.split(',').map((name) => name.trim())
  const all = names.map((name) => {
    if (/^command\b/.test(name)) throw new UserError('--judge: a command in a list', 'name the command alone')
    const choice = resolveJudgeChoice(name)
    if (choice.name === 'auto') throw new UserError('--judge: auto in a list', 'name engines, such as openai,anthropic')
    return choice
  })
  const isShared = (judge: EngineChoice) => sharedFamily(judge, agent) !== null
  return { crossFamily: all.filter((one) => !isShared(one)), sameFamilyFallback: all.filter(isShared) }
}

/** Whether --judge names several. */
export function isJudgeList(text: string): boolean {
  return text.includes(',') && !/^\s*command\b/.test(text)
}

/** null: the judge is of another family, or nobody knows. */
export function familyWarning(judge: EngineChoice, agent: EngineChoice): string | null {
  const family = sharedFamily(judge, agent)
  if (family === null) return null
  return `the judge ${judgeName(judge)} is of the agent's own family (${family}), and judges favour their own`
}

const others: readonly EngineChoice[] = ['anthropic', 'openai', 'claude-code', 'codex'].map((name) => ({
  name,
  model: null,
}))

/** The first judge of another family that could be asked; null: there is none here. */
export async function crossFamilyJudge(
  agent: EngineChoice,
  env: JudgeSelectionRequest['env'],
): Promise<EngineChoice | null> {
  for (const judge of others) {
    if (sharedFamily(judge, agent) === null && (await missingFor(judge, env)) === null) return judge
  }
  return null
}

function isSame(judge: EngineChoice, agent: EngineChoice): boolean {
  return judge.name === agent.name && judge.model === agent.model && judge.command === agent.command
}

export function judgeName({ name, model }: EngineChoice): string {
  return [name, model].filter(Boolean).join(':')
}
