/** not_contains: a text does not occur in the answer, the outputs or the transcript. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { decideTextSearch } from './contains.ts'
import type { CheckContext, CheckVerdict } from './inputs/check_input.ts'

/** Fails if the named file is missing, because there is nothing in which the text could be absent. */
export async function decideNotContains(check: CheckOf<'not_contains'>, context: CheckContext): Promise<CheckVerdict> {
  return decideTextSearch(check, context, false)
}
