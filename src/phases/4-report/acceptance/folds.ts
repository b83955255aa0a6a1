/** Which cases a proposal learns from and which judge it: the two folds of a small suite swap. */
import type { Split } from '../../../../schemas/history/session.ts'
import type { History } from '../../../../schemas/history.ts'
import { type TriedVersion, traceCourse } from './session_course.ts'

export type CaseFold = Pick<Split, 'train' | 'validation'>

type Tries = Pick<History, 'iterations' | 'refused'>

/**
 * The folds swap after each try, but never under a version that is worked on further: a case that it has learned from must not judge it.
 */
export function findTurn({ iterations, refused = [] }: Tries, iteration: number): 0 | 1 {
  const tried: TriedVersion[] = iterations.slice(0, 1)
  const made = new Map(iterations.slice(1).map((one) => [one.iteration, one]))
  const unfit = new Set(refused.map((one) => one.iteration))
  let turn: 0 | 1 = 0
  for (let at = 1; at < iteration; at += 1) {
    const one = made.get(at)
    if (one === undefined && !unfit.has(at)) break
    if (one !== undefined) tried.push(one)
    const { best, head } = traceCourse(tried)
    if (head === best) turn = turn === 0 ? 1 : 0
  }
  return turn
}

/** The cases of an iteration. */
export function findFold(
  split: Pick<Split, 'kind' | 'train' | 'validation'>,
  tries: Tries,
  iteration: number,
): CaseFold {
  const { kind, train, validation } = split
  const isTurned = kind === 'cross_fitted' && findTurn(tries, iteration) === 1
  return isTurned ? { train: validation, validation: train } : { train, validation }
}
