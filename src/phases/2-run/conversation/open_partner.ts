/** Opens the other side of a run's conversation. */
import type { RunRequest } from '../run_request.ts'
import { openUserModel, type UserModel } from './ask_user_model.ts'
import { decideWith } from './decide_statement.ts'
import { openScript, type Partner, withEndCondition } from './partner.ts'
import { openSimulatedUser } from './simulated_user.ts'

/** null: the case has one turn. */
export async function openPartner(request: RunRequest): Promise<(Partner & AsyncDisposable) | null> {
  const { turns = [], user, end_when } = request.spec
  if (turns.length === 0 && user === undefined) return null
  const model = await openUserModel(request)
  const partner = choosePartner(request.spec, model)
  return {
    ...partner,
    next: withEndCondition(partner, end_when, decideWith(model)),
    async [Symbol.asyncDispose]() {
      await model?.[Symbol.asyncDispose]()
    },
  }
}

function choosePartner({ turns = [], user, answer_key }: RunRequest['spec'], model: UserModel | null): Partner {
  if (user === undefined) {
    const asked = () => model?.asked() && { ...model.asked(), asked_again: 0 }
    return { ...openScript(turns, decideWith(model)), asked }
  }
  if (model === null) throw new Error('a simulated user needs a model, and the run has none')
  return openSimulatedUser({ user, answerKey: answer_key ?? [], model })
}
