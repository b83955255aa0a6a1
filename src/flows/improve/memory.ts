/** What a proposer is told of earlier proposals, and where the loop stands by them: what counts as a try, what as none. */
import type { History } from '../../../schemas/history.ts'
import { isPlateau } from '../../phases/4-report/accept/course.ts'
import { turnOf } from '../../phases/4-report/accept/turns.ts'

/**
 * One line for each proposal that was not taken. Reasons that could hold text of cases the proposer has not seen are given by their
 * rule alone; where folds take turns, only proposals made from the same fold are told.
 */
export function rejectedLines(history: History, now: number): string[] {
  const { iterations, refused = [], split } = history
  const turn = turnOf(history, now)
  const isSeen = (iteration: number) => split?.kind !== 'cross_fitted' || turnOf(history, iteration) === turn
  const lost = iterations.flatMap(({ iteration = 0, gate, proposal, grading_result }) => {
    if (gate === undefined || gate.result === 'won' || grading_result === 'baseline' || !isSeen(iteration)) return []
    const how = gate.stage === 'train' ? gate.reason : `${gate.result} on other tasks`
    return [{ iteration, line: `${proposal?.summary ?? 'an edit'}: ${how}` }]
  })
  const unfit = refused
    .filter(({ iteration, rule }) => isSeen(iteration) && rule !== proposerFailed)
    .map(({ iteration, rule, reason, proposal }) => {
      const why = rule === 'leakage' ? 'it held text of tasks that judge the skill' : reason
      return { iteration, line: `${proposal?.summary ?? 'a proposal'}: refused (${rule}): ${why}` }
    })
  return [...lost, ...unfit].sort((a, b) => a.iteration - b.iteration).map(({ line }) => line.slice(0, 600))
}

/** The rule of a proposal that was none: not the edit was at fault, but the proposer itself, such as a crash or a limit of its account. */
export const proposerFailed = 'proposer_failed'

/** Proposals that were made, good or not. */
export function proposalsTried({ iterations, refused = [] }: Tries): number {
  return Math.max(0, iterations.length - 1) + refused.filter(({ rule }) => rule !== proposerFailed).length
}

type Tries = Pick<History, 'iterations' | 'refused'>

/** Failures of the proposer since this start with no proposal after them, and the reason of the last. */
export function failedInARow({ history: { iterations, refused = [] }, failedBefore }: FailedBefore) {
  const failures = refused.filter(({ rule }) => rule === proposerFailed)
  const made = [...iterations.map(({ iteration = 0 }) => iteration), ...refused.map((one) => one.iteration)]
  const others = made.filter((at) => !failures.some(({ iteration }) => iteration === at))
  const last = Math.max(0, ...others)
  const row = failures.slice(failedBefore).filter(({ iteration }) => iteration > last)
  return { count: row.length, reason: row.at(-1)?.reason ?? '' }
}

interface FailedBefore {
  history: Tries
  failedBefore: number
}

/** Whether so many tries in a row came to nothing. */
export function isStalled({ iterations, refused = [] }: Tries): boolean {
  const tries = [
    ...refused.filter(({ rule }) => rule !== proposerFailed).map(({ iteration }) => ({ iteration, isKept: false })),
    ...iterations
      .filter(({ gate }) => gate !== undefined)
      .map(({ iteration = 0, gate }) => ({
        iteration,
        isKept: gate?.result === 'won' || (gate?.result === 'tie' && gate.difference > 0),
      })),
  ]
  return isPlateau(tries.sort((a, b) => a.iteration - b.iteration).map(({ isKept }) => isKept))
}
