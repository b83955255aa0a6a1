/** Randomizes by seed which pairs are compared first and which side of a pair the judge sees first. */
import { sha256 } from '../../base/json/json.ts'

/** A rank among the pairs of a case: the same for a case and number, whatever else is compared. */
export function randomRank(seed: number, one: { eval_id: number }, number: number): string {
  return sha256(`${seed}/${one.eval_id}/${number}`)
}

/** The side that is shown first in the first judgement of a pair. */
export function chooseFirstSide(seed: number, pair: { eval_id: number; number: number }): 'A' | 'B' {
  return Number.parseInt(randomRank(seed, pair, pair.number).slice(0, 8), 16) % 2 === 0 ? 'A' : 'B'
}
