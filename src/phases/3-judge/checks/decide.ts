/** Decides one check on one run. */
import type { Check, CheckOf, CheckType } from '../../../../schemas/check.ts'
import { messageOf } from '../../../base/error.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'
import { checks, type Deciders } from './table.ts'

/** The verdict. Whatever keeps the check from being decided is its `error`; rejects only when aborted. */
export async function decideCheck(check: Check, scene: CheckScene): Promise<CheckVerdict> {
  try {
    return await decide(check.type, check, scene)
  } catch (error) {
    scene.signal.throwIfAborted()
    return { error: messageOf(error) }
  }
}

function decide<T extends CheckType>(type: T, check: CheckOf<T>, scene: CheckScene): Promise<CheckVerdict> {
  const deciders: Deciders = checks
  return deciders[type](check, scene)
}
