/** not_contains: a text stands nowhere in the answer, the outputs or the transcript. */
import type { CheckOf } from '../../../../schemas/check.ts'
import { search } from './contains.ts'
import type { CheckScene, CheckVerdict } from './scene.ts'

/** A file that is named and missing fails: nothing was left in which the text could be absent. */
export async function notContains(check: CheckOf<'not_contains'>, scene: CheckScene): Promise<CheckVerdict> {
  return search(check, scene, false)
}
