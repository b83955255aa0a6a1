/** Reports results on disk that are not this user's, so no new verdict counts them. */
import type { FlowContext } from '../flow_context.ts'

/** `what`: such as "12 cached results". */
export function reportForeignResults(
  { place, what }: { place: string; what: string },
  { emit }: Pick<FlowContext, 'emit'>,
): void {
  const message = `${what} without your signature: not used (in CI, set WHETSTONE_SIGNING_KEY; in the GitHub Action, signing-key)`
  emit({ type: 'foreign_results', place, message })
}
