/** The permutation test of runs between arms within each case: were both arms equal on every case, how often is the difference this large. */
import { type CaseScores, comparable } from './case_scores.ts'
import { exactTails } from './lattice.ts'
import { meanOf, varianceOf } from './moments.ts'
import { normalCdf } from './quantiles.ts'
import { seeded, shuffleFirst } from './random.ts'
import type { PermutationP } from './sign_flip.ts'

const draws = 10_000
/** Runs moved over all draws; beyond it the sum is over so many runs that the normal distribution serves. */
const mostMoves = 5e6
const near = 1e-9

/** Over the mean of the case differences. Exact where the scores lie on a lattice small enough, else by seeded draws. */
export function permuteWithinCases(cases: readonly CaseScores[], seed: number): PermutationP {
  const known = comparable(cases)
  if (known.length === 0) return { pValue: 1, above: 1, method: 'exact' }
  const exact = exactTails(known)
  if (exact !== null) return { ...exact, method: 'exact' }
  const runs = known.reduce((sum, one) => sum + one.candidate.length, 0)
  return runs * draws <= mostMoves ? byDraws(known, seed) : byNormal(known)
}

function differenceOf({ candidate, baseline }: CaseScores): number {
  return meanOf(candidate) - meanOf(baseline)
}

/** The observed labels count as one draw, so p is never 0. */
function byDraws(cases: readonly CaseScores[], seed: number): PermutationP {
  const random = seeded(seed)
  const pools = cases.map((one) => {
    const values = [...one.candidate, ...one.baseline]
    const [own, other] = [one.candidate.length, one.baseline.length]
    return { values, own, other, total: values.reduce((sum, value) => sum + value, 0) }
  })
  const observed = cases.reduce((sum, one) => sum + differenceOf(one), 0)
  let [far, above] = [1, 1]
  for (let draw = 0; draw < draws; draw += 1) {
    let sum = 0
    for (const { values, own, other, total } of pools) {
      shuffleFirst(values, own, random)
      let taken = 0
      for (let at = 0; at < own; at += 1) taken += values[at] ?? 0
      sum += taken / own - (total - taken) / other
    }
    if (Math.abs(sum) >= Math.abs(observed) - near) far += 1
    if (sum >= observed - near) above += 1
  }
  return { pValue: far / (draws + 1), above: above / (draws + 1), method: 'draws' }
}

/** By the exact variance of the difference over all relabellings. */
function byNormal(cases: readonly CaseScores[]): PermutationP {
  let [observed, variance] = [0, 0]
  for (const one of cases) {
    const [own, other] = [one.candidate.length, one.baseline.length]
    observed += differenceOf(one)
    variance += varianceOf([...one.candidate, ...one.baseline]) * (1 / own + 1 / other)
  }
  if (variance === 0) return { pValue: 1, above: 1, method: 'normal' }
  const z = observed / Math.sqrt(variance)
  return { pValue: Math.min(1, 2 * normalCdf(-Math.abs(z))), above: normalCdf(-z), method: 'normal' }
}
