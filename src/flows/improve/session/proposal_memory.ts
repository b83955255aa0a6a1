/** Summarizes earlier proposals: what the proposer learns of them, and which count as tries. */
import type { History } from '../../../../schemas/history.ts'
import { findTurn } from '../../../phases/4-report/acceptance/folds.ts'
import { isPlateau } from '../../../phases/4-report/acceptance/session_course.ts'

/**
 * One line for each rejected proposal. Reasons that could contain text of unseen cases are reduced to their rule. Where folds take turns,
 * only proposals from the same fold are listed.
 */
export function describeRejections(history: History, now: number): string[] {
  const { iterations, refused = [], split } = history
  const turn = findTurn(history, now)
  const isSeen = (iteration: number) => split?.kind !== 'cross_fitted' || findTurn(history, iteration) === turn
  const lost = iterations.flatMap(({ iteration = 0, gate, proposal, grading_result }) => {
    if (gate === undefined || gate.result === 'won' || grading_result === 'baseline' || !isSeen(iteration)) return []
    const how = gate.stage === 'train' ? gate.reason : `${gate.result} on other tasks`
    return [{ iteration, line: `${proposal?.summary ?? 'an edit'}: ${how}` }]
  })
  const unfit = refused
    .filter(({ iteration, rule }) => isSeen(iteration) && rule !== proposerFailedRule)
    .map(({ iteration, rule, reason, proposal }) => {
      const why = rule === 'leakage' ? 'it held text of tasks that judge the skill' : reason
      return { iteration, line: `${proposal?.summary ?? 'a proposal'}: refused (${rule}): ${why}` }
    })
  return [...lost, ...unfit].sort((a, b) => a.iteration - b.iteration).map(({ line }) => line.slice(0, 600))
}

/** The rule for a failure of the proposer itself, not of its edit: for example a crash, or a limit on its account. */
export const proposerFailedRule = 'proposer_failed'

/** Counts actual proposals, good or bad. */
export function countProposals({ iterations, refused = [] }: Tries): number {
  return Math.max(0, iterations.length - 1) + refused.filter(({ rule }) => rule !== proposerFailedRule).length
}

type Tries = Pick<History, 'iterations' | 'refused'>

/** Proposer failures in a row since this start, and the reason of the last. */
export function findFailureStreak({ history: { iterations, refused = [] }, failedBefore }: FailureState) {
  const failures = refused.filter(({ rule }) => rule === proposerFailedRule)
  const made = [...iterations.map(({ iteration = 0 }) => iteration), ...refused.map((one) => one.iteration)]
  const others = made.filter((at) => !failures.some(({ iteration }) => iteration === at))
  const last = Math.max(0, ...others)
  const row = failures.slice(failedBefore).filter(({ iteration }) => iteration > last)
  return { count: row.length, reason: row.at(-1)?.reason ?? '' }
}

interface FailureState {
  history: Tries
  failedBefore: number
}

/** Whether too many tries in a row brought no improvement. */
export function isStalled({ iterations, refused = [] }: Tries): boolean {
  const tries = [
    ...refused.filter(({ rule }) => rule !== proposerFailedRule).map(({ iteration }) => ({ iteration, isKept: false })),
    ...iterations
      .filter(({ gate }) => gate !== undefined)
      .map(({ iteration = 0, gate }) => ({
        iteration,
        isKept: gate?.result === 'won' || (gate?.result === 'tie' && gate.difference > 0),
      })),
  ]
  return isPlateau(tries.sort((a, b) => a.iteration - b.iteration).map(({ isKept }) => isKept))
}
