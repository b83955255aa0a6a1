/** The sign-flip permutation test: how often is the mean this far from 0 if the arms are interchangeable within each case? */
import { normalCdf } from '../distributions/quantiles.ts'
import { createSeededRandom, type Random } from '../distributions/seeded_random.ts'

export interface PermutationP {
  pValue: number
  /** The one-sided value for "above 0". */
  above: number
  method: 'exact' | 'draws' | 'normal'
}

/** Up to this many non-zero differences all signs are tried: 2^24 sums from two halves of 2^12. */
const mostExact = 24
const draws = 10_000
/** Beyond this many the sum over the signs is close enough to normal. */
const mostDrawn = 500
/** Sums this close are equal: only the order of addition differs. */
const near = 1e-9

/** From one difference per case. Zeros have no sign and are dropped; if all are zero, p is 1. */
export function signFlip(differences: readonly number[], seed: number): PermutationP {
  const values = differences.filter((one) => Math.abs(one) > near)
  if (values.length === 0) return { pValue: 1, above: 1, method: 'exact' }
  const observed = values.reduce((sum, one) => sum + one, 0)
  if (values.length <= mostExact) {
    const halves = [
      listSignedSums(values.filter((_, at) => at % 2 === 0)),
      listSignedSums(values.filter((_, at) => at % 2 === 1)),
    ]
    const [left = [], right = []] = halves
    const atLeast = (target: number) => countAtLeast(left, right, target - near) / (left.length * right.length)
    return { pValue: Math.min(1, 2 * atLeast(Math.abs(observed))), above: atLeast(observed), method: 'exact' }
  }
  return values.length <= mostDrawn
    ? flipByDraws(values, observed, createSeededRandom(seed))
    : flipByNormal(values, observed)
}

/** Every sum over the signs, ascending. */
function listSignedSums(values: readonly number[]): Float64Array {
  let sums = Float64Array.of(0)
  for (const value of values) {
    const more = new Float64Array(sums.length * 2)
    for (const [at, sum] of sums.entries()) {
      more[2 * at] = sum - value
      more[2 * at + 1] = sum + value
    }
    sums = more
  }
  return sums.sort()
}

/** How many pairs, one value from each side, add up to at least the target. */
function countAtLeast(left: ArrayLike<number>, right: ArrayLike<number>, target: number): number {
  let count = 0
  let from = right.length
  for (let at = 0; at < left.length; at += 1) {
    while (from > 0 && (left[at] ?? 0) + (right[from - 1] ?? 0) >= target) from -= 1
    count += right.length - from
  }
  return count
}

function flipByNormal(values: readonly number[], observed: number): PermutationP {
  const z = observed / Math.sqrt(values.reduce((sum, one) => sum + one * one, 0))
  return { pValue: Math.min(1, 2 * normalCdf(-Math.abs(z))), above: normalCdf(-z), method: 'normal' }
}

/** The observed signs count as one draw, so p is never 0. */
function flipByDraws(values: readonly number[], observed: number, random: Random): PermutationP {
  let [far, above] = [1, 1]
  for (let draw = 0; draw < draws; draw += 1) {
    let sum = 0
    for (const value of values) sum += random() < 0.5 ? value : -value
    if (Math.abs(sum) >= Math.abs(observed) - near) far += 1
    if (sum >= observed - near) above += 1
  }
  return { pValue: far / (draws + 1), above: above / (draws + 1), method: 'draws' }
}
