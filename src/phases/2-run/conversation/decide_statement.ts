/** Decides by a model whether a statement about the agent's last answer holds. */
import * as z from 'zod'
import type { UserModel } from './ask_user_model.ts'
import type { DecideStatement } from './partner.ts'
import { toUserError } from './user_error.ts'
import { buildStatementPrompt } from './user_prompt.ts'

const verdict = z.object({
  why: z.string().describe('one sentence'),
  holds: z.boolean(),
})

/** `model` null: a case without one has no statement to decide. */
export function decideWith(model: Pick<UserModel, 'ask'> | null): DecideStatement {
  return async (statement, answer, signal) => {
    if (model === null) throw new Error('a condition needs a model, and the run has none')
    const outcome = await model.ask(buildStatementPrompt(statement, answer), verdict, signal)
    if (outcome.status === 'answered') return outcome.value.holds
    return { error: toUserError(outcome, `did not decide "${statement}"`) }
  }
}
