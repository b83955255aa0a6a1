/** Reasons not to start a command: the real start throws the first, --dry-run collects all; both take the same steps. */
import { IncompleteError, UserError } from '../../base/errors/error.ts'

export type StartRefusal = UserError | IncompleteError

/** Takes a reason; returns only if nothing is going to start. */
export type OnRefusal = (reason: StartRefusal) => void

/** For a real start. */
export const throwRefusal: OnRefusal = (reason) => {
  throw reason
}

/** For plans that never start. */
export const ignoreRefusals: OnRefusal = () => {}

/** Runs a step; passes a refusal that it throws to `refuse` and returns null. Other errors are rethrown. */
export async function attemptStep<R>(refuse: OnRefusal, step: () => Promise<R> | R): Promise<R | null> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof UserError || error instanceof IncompleteError)) throw error
    refuse(error)
    return null
  }
}
