/** Which cases a proposal learns from and which judge it, where the two folds of a small suite take turns. */

import type { Split } from '../../../../schemas/history/session.ts'
import type { History } from '../../../../schemas/history.ts'
import { courseOf, type Tried } from './course.ts'

export type Fold = Pick<Split, 'train' | 'validation'>

type Tries = Pick<History, 'iterations' | 'refused'>

/**
 * They change sides after each try, but never under a version that is worked on further: what it has learned from a case must not be
 * judged by that case.
 */
export function turnOf({ iterations, refused = [] }: Tries, iteration: number): 0 | 1 {
  const tried: Tried[] = iterations.slice(0, 1)
  const made = new Map(iterations.slice(1).map((one) => [one.iteration, one]))
  const unfit = new Set(refused.map((one) => one.iteration))
  let turn: 0 | 1 = 0
  for (let at = 1; at < iteration; at += 1) {
    const one = made.get(at)
    if (one === undefined && !unfit.has(at)) break
    if (one !== undefined) tried.push(one)
    const { best, head } = courseOf(tried)
    if (head === best) turn = turn === 0 ? 1 : 0
  }
  return turn
}

/** The cases of an iteration. */
export function foldOf(split: Pick<Split, 'kind' | 'train' | 'validation'>, tries: Tries, iteration: number): Fold {
  const { kind, train, validation } = split
  const isTurned = kind === 'cross_fitted' && turnOf(tries, iteration) === 1
  return isTurned ? { train: validation, validation: train } : { train, validation }
}
