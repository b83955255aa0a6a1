/** When a session has nothing more to do, and when it may do no more. */
import type { History } from '../../../schemas/history.ts'
import { foldOf } from '../../phases/4-report/accept/turns.ts'
import type { FlowContext } from '../context.ts'
import { leftUntilDeadline, noLimits } from '../limits.ts'
import { StepStopped } from './bench_step.ts'
import { failedInARow, isStalled, proposalsTried } from './memory.ts'
import { reserveText, tooDear } from './reserve.ts'
import { iterationsDone, type Session } from './session.ts'
import { failureClasses, seenRuns } from './training.ts'

/** So many failures of the proposer itself, each tried again as --retries says, and it is not asked further. */
const patience = 2

type Why = Pick<NonNullable<History['stopped']>, 'reason' | 'message'>

/** null: there is something to do. */
export async function stopOf(session: Session): Promise<Why | null> {
  const { history, request } = session
  const { headroom, ending } = history
  if (ending !== undefined) return ending
  if (headroom !== undefined && headroom.room <= 1e-9)
    return { reason: 'solved', message: 'v0 meets every expectation: nothing is left to gain' }
  if (headroom !== undefined && !headroom.enough) return { reason: 'no_headroom', message: headroom.message }
  const solved = await solvedBy(session)
  if (solved !== null) return { reason: 'solved', message: `${solved} meets every expectation` }
  const { count, reason } = failedInARow(session)
  if (count >= patience)
    return { reason: 'proposer', message: `the proposer failed ${count} times in a row: ${reason}; mend that first` }
  if (proposalsTried(history) >= request.iterations)
    return { reason: 'iterations', message: `all ${request.iterations} iterations are made` }
  if (isStalled(history)) return { reason: 'plateau', message: 'the last proposals came to nothing: a plateau' }
  return null
}

/** The version that meets all, where there is one. */
async function solvedBy(session: Session): Promise<string | null> {
  const { split, iterations, current_best } = session.history
  const best = iterations.find(({ version }) => version === current_best)
  if (split === undefined || best?.gate?.stage !== 'validation' || best.gate.candidate_mean < 1 - 1e-9) return null
  const { train: cases } = foldOf(split, session.history, iterationsDone(session) + 1)
  const seen = await seenRuns(session, { versions: [best.version], cases })
  return failureClasses(seen).length === 0 ? best.version : null
}

/** Ends at which a version may still be open that was worked on further. */
export const mayProve: ReadonlySet<string> = new Set(['iterations', 'plateau'])

/** The limit that allows no further proposal; null: there is none. */
export function shortage(session: Session, context: FlowContext): StepStopped | null {
  const limits = session.request.bench.limits ?? noLimits
  if ((leftUntilDeadline(limits, context.now()) ?? 1) <= 0) {
    return new StepStopped(`stopped by the deadline ${limits.deadline?.toISOString()}`, 'deadline')
  }
  const kind = session.purses.exceeded() ?? tooDear(session)
  if (kind === null) return null
  const kept = reserveText(session)
  const message = `stopped by the ${kind.replaceAll('_', ' of ')}: what is left does not reach for another round`
  return new StepStopped(kept === null ? message : `${message}; ${kept}`, kind)
}
