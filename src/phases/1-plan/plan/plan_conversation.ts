/** The part of a run that a case of several turns adds: its messages, its user, and what that user may not tell. */
import type { PlanOptions, RunSpec } from '../../../../schemas/plan.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'

type ConversationPart = Pick<RunSpec, 'turns' | 'end_when' | 'user' | 'answer_key' | 'user_engine'>

/** Whether the case has messages after the prompt. */
export function hasConversation({ turns, user }: Pick<SuiteCase, 'turns' | 'user'>): boolean {
  return turns !== undefined || user !== undefined
}

/** Whether a model must play the user or decide a condition. */
export function needsUserModel({
  turns = [],
  end_when,
  user,
}: Pick<SuiteCase, 'turns' | 'end_when' | 'user'>): boolean {
  return user !== undefined || [...turns, end_when].some((one) => one?.agent_response_meets !== undefined)
}

export function planConversation(one: SuiteCase, { user: model }: PlanOptions): ConversationPart {
  const { turns, end_when, user } = one
  if (!hasConversation(one)) return {}
  return {
    ...(turns && { turns }),
    ...(end_when && { end_when }),
    ...(user && { user, answer_key: listAnswerKey(one) }),
    ...(model && needsUserModel(one) && { user_engine: model }),
  }
}

function listAnswerKey({ expected_output, expectations, checks, reference }: SuiteCase): string[] {
  const texts = [
    ...(expected_output === null ? [] : [expected_output]),
    ...expectations.map(({ text }) => text),
    ...checks.flatMap(({ type: _, ...parameters }) => listTexts(parameters)),
    ...listTexts(reference),
  ]
  return [...new Set(texts)]
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}
