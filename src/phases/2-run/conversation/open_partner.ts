/** Opens the other side of a run's conversation. */
import type { RunRequest } from '../run_request.ts'
import { openUserModel } from './ask_user_model.ts'
import { type DecideStatement, openScript, type Partner, withEndCondition } from './partner.ts'
import type { AskableModel } from './simulated_user.ts'

/** null: the case has one turn. */
export async function openPartner(request: RunRequest): Promise<(Partner & AsyncDisposable) | null> {
  const { turns = [], user, end_when, answer_key: answerKey = [] } = request.spec
  if (turns.length === 0 && user === undefined) return null
  const model = await openUserModel(request)
  const decide = createDecider(model)
  const simulated =
    user === undefined
      ? null
      : (await loadSimulatedUser()).openSimulatedUser({ user, answerKey, model: requireModel(model) })
  const partner = simulated ?? openScript(turns, decide)
  return {
    next: withEndCondition(partner, end_when, decide),
    asked: () => simulated?.asked() ?? (model === null ? undefined : { ...model.asked(), asked_again: 0 }),
    async [Symbol.asyncDispose]() {
      await model?.[Symbol.asyncDispose]()
    },
  }
}

function createDecider(model: AskableModel | null): DecideStatement {
  return async (statement, answer, signal) => {
    const { decideStatement } = await loadSimulatedUser()
    return await decideStatement({ statement, answer, model: requireModel(model) }, signal)
  }
}

/** With its lists of words, which no other run needs. */
const loadSimulatedUser = () => import('./simulated_user.ts')

/** The plan names a model for each case that needs one. */
function requireModel(model: AskableModel | null): AskableModel {
  if (model === null) throw new Error('the run needs a user model, and its plan names none')
  return model
}
