/** Decides when a session has nothing left to do, and when a limit stops it. */
import type { History } from '../../../schemas/history.ts'
import { findFold } from '../../phases/4-report/acceptance/folds.ts'
import type { FlowContext } from '../flow_context.ts'
import { msUntilDeadline, noLimits } from '../limits/limits.ts'
import { describeReserve, findExceededLimit } from './budget_reserve.ts'
import { classifyFailures, readSeenRuns } from './propose/training_runs.ts'
import { countProposals, findFailureStreak, isStalled } from './session/proposal_memory.ts'
import { countIterations, type ImproveSession } from './session/session.ts'
import { StepStopped } from './validate/bench_step.ts'

/** Stop asking after this many failures of the proposer itself, each retried as --retries sets. */
const maxProposerFailures = 2

type StopCause = Pick<NonNullable<History['stopped']>, 'reason' | 'message'>

/** null: work remains. */
export async function findStopReason(session: ImproveSession): Promise<StopCause | null> {
  const { history, request } = session
  const { headroom, ending } = history
  if (ending !== undefined) return ending
  if (headroom !== undefined && headroom.room <= 1e-9)
    return { reason: 'solved', message: 'v0 meets every expectation: nothing is left to gain' }
  if (headroom !== undefined && !headroom.enough) return { reason: 'no_headroom', message: headroom.message }
  const solved = await findSolvedVersion(session)
  if (solved !== null) return { reason: 'solved', message: `${solved} meets every expectation` }
  const { count, reason } = findFailureStreak(session)
  if (count >= maxProposerFailures)
    return { reason: 'proposer', message: `the proposer failed ${count} times in a row: ${reason}; fix that first` }
  if (countProposals(history) >= request.iterations)
    return { reason: 'iterations', message: `all ${request.iterations} iterations are done` }
  if (isStalled(history)) return { reason: 'plateau', message: 'the last proposals came to nothing: a plateau' }
  return null
}

/** The version that passes everything, if there is one. */
async function findSolvedVersion(session: ImproveSession): Promise<string | null> {
  const { split, iterations, current_best } = session.history
  const best = iterations.find(({ version }) => version === current_best)
  if (split === undefined || best?.gate?.stage !== 'validation' || best.gate.candidate_mean < 1 - 1e-9) return null
  const { train: cases } = findFold(split, session.history, countIterations(session) + 1)
  const seen = await readSeenRuns(session, { versions: [best.version], cases })
  return classifyFailures(seen).length === 0 ? best.version : null
}

/** Stop reasons after which a promising version may still need validation. */
export const provableStops: ReadonlySet<string> = new Set(['iterations', 'plateau'])

/** The limit that prevents another proposal; null: none. */
export function findLimitShortage(session: ImproveSession, context: FlowContext): StepStopped | null {
  const limits = session.request.bench.limits ?? noLimits
  if ((msUntilDeadline(limits, context.now()) ?? 1) <= 0) {
    return new StepStopped(`stopped by the deadline ${limits.deadline?.toISOString()}`, 'deadline')
  }
  const kind = session.budgets.exceeded() ?? findExceededLimit(session)
  if (kind === null) return null
  const kept = describeReserve(session)
  const message = `stopped by the ${kind.replaceAll('_', ' of ')}: what is left does not reach for another round`
  return new StepStopped(kept === null ? message : `${message}; ${kept}`, kind)
}
