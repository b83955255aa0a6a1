/** A search that a limit ended fails the check: else a text that the agent wrote could keep its run from counting. */
import type { BoundedResult } from '../../../../base/process/time_limited_worker.ts'
import { capText } from '../inputs/check_input.ts'

export class SearchLimitError extends Error {}

/** `what`: such as `the pattern /a+/`. `error`: it is invalid, which says nothing about the agent. Throws SearchLimitError for a limit. */
export function describeUnfinished(
  what: string,
  { error, by }: Extract<BoundedResult<unknown>, { error: string }>,
): { error: string } {
  if (by === 'limit') throw new SearchLimitError(`${what} could not be searched: ${error}`)
  return { error: `${what} could not be evaluated: ${capText(error)}` }
}
