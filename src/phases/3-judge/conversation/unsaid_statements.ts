/** Which statements of a case are about messages that a recorded session does not have. Pure. */
import type { RunRecord } from '../../../../schemas/run.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'

/**
 * A person chose what to say, so a message that a recorded session lacks is not a failure of the agent. Runs of Whetstone keep all
 * statements.
 */
export function leaveOutUnsaid(
  one: SuiteCase,
  { observed, conversation }: Pick<RunRecord, 'observed' | 'conversation'>,
): SuiteCase {
  if (observed !== true) return one
  const said = conversation?.turns.length ?? 1
  const isSaid = (statement: object) =>
    !('turn' in statement) || typeof statement.turn !== 'number' || statement.turn <= said
  return { ...one, expectations: one.expectations.filter(isSaid), checks: one.checks.filter(isSaid) }
}
