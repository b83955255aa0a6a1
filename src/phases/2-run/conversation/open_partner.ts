/** Opens the other side of a run's conversation. */
import type { RunRequest } from '../run_request.ts'
import { openUserModel } from './ask_user_model.ts'
import { decideWith } from './decide_statement.ts'
import { openScript, type Partner, withEndCondition } from './partner.ts'

/** null: the case has one turn. */
export async function openPartner(request: RunRequest): Promise<(Partner & AsyncDisposable) | null> {
  const { turns = [], user, end_when } = request.spec
  if (turns.length === 0 && user === undefined) return null
  const model = await openUserModel(request)
  const decide = decideWith(model)
  return {
    next: withEndCondition(openScript(turns, decide), end_when, decide),
    asked: () => model?.asked() && { ...model.asked(), asked_again: 0 },
    async [Symbol.asyncDispose]() {
      await model?.[Symbol.asyncDispose]()
    },
  }
}
