/** The permutation test of runs between arms within each case: how often is the difference this large if all cases have equal arms? */
import { exactPValue } from '../distributions/exact_permutation.ts'
import { createSeededRandom, shuffleFirst } from '../distributions/seeded_random.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'
import { differenceOfMeans } from './paired_t.ts'

export interface PermutationP {
  pValue: number
  method: 'exact' | 'draws'
}

/** Fewer where there are many runs, for the time that they take. */
const mostDraws = 10_000
const mostMoves = 5e6
const near = 1e-9

/** Tests the mean of the case differences: exact on a small lattice, else by seeded draws. */
export function permuteWithinCases(cases: readonly CaseScores[], seed: number): PermutationP {
  const known = keepComparable(cases)
  if (known.length === 0) return { pValue: 1, method: 'exact' }
  const pValue = exactPValue(known)
  return pValue === null ? permuteByDraws(known, seed) : { pValue, method: 'exact' }
}

/** The observed labels count as one draw, so p is never 0. */
function permuteByDraws(cases: readonly CaseScores[], seed: number): PermutationP {
  const random = createSeededRandom(seed)
  const runs = cases.reduce((sum, one) => sum + one.candidate.length, 0)
  const draws = Math.min(mostDraws, Math.ceil(mostMoves / runs))
  const pools = cases.map((one) => {
    const values = [...one.candidate, ...one.baseline]
    const [own, other] = [one.candidate.length, one.baseline.length]
    return { values, own, other, total: values.reduce((sum, value) => sum + value, 0) }
  })
  const observed = cases.reduce((sum, one) => sum + differenceOfMeans(one), 0)
  let far = 1
  for (let draw = 0; draw < draws; draw += 1) {
    let sum = 0
    for (const { values, own, other, total } of pools) {
      shuffleFirst(values, own, random)
      let taken = 0
      for (let at = 0; at < own; at += 1) taken += values[at] ?? 0
      sum += taken / own - (total - taken) / other
    }
    if (Math.abs(sum) >= Math.abs(observed) - near) far += 1
  }
  return { pValue: far / (draws + 1), method: 'draws' }
}
