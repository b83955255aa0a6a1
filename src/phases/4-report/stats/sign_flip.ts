/** The sign-flip permutation test: were the arms' names interchangeable within each case, how often is the mean this far from 0. */
import { normalCdf } from './quantiles.ts'
import { type Random, seeded } from './random.ts'

export interface PermutationP {
  pValue: number
  /** The one-sided value for "above 0". */
  above: number
  method: 'exact' | 'draws' | 'normal'
}

/** Up to this many differences that are not 0 all signs are tried: 2^24 sums from two halves of 2^12. */
const mostExact = 24
const draws = 10_000
/** Beyond so many the sum over the signs is normal for every purpose here. */
const mostDrawn = 500
/** Sums this near are the same: they are made in another order. */
const near = 1e-9

/** From one difference a case. Zeros say nothing of the sign and are left out; without any other, p is 1. */
export function signFlip(differences: readonly number[], seed: number): PermutationP {
  const values = differences.filter((one) => Math.abs(one) > near)
  if (values.length === 0) return { pValue: 1, above: 1, method: 'exact' }
  const observed = values.reduce((sum, one) => sum + one, 0)
  if (values.length <= mostExact) {
    const halves = [sumsOf(values.filter((_, at) => at % 2 === 0)), sumsOf(values.filter((_, at) => at % 2 === 1))]
    const [left = [], right = []] = halves
    const atLeast = (target: number) => countAtLeast(left, right, target - near) / (left.length * right.length)
    return { pValue: Math.min(1, 2 * atLeast(Math.abs(observed))), above: atLeast(observed), method: 'exact' }
  }
  return values.length <= mostDrawn ? byDraws(values, observed, seeded(seed)) : byNormal(values, observed)
}

/** Every sum over the signs, in rising order. */
function sumsOf(values: readonly number[]): Float64Array {
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

/** How many pairs of one from each side add up to the target or more. */
function countAtLeast(left: ArrayLike<number>, right: ArrayLike<number>, target: number): number {
  let count = 0
  let from = right.length
  for (let at = 0; at < left.length; at += 1) {
    while (from > 0 && (left[at] ?? 0) + (right[from - 1] ?? 0) >= target) from -= 1
    count += right.length - from
  }
  return count
}

function byNormal(values: readonly number[], observed: number): PermutationP {
  const z = observed / Math.sqrt(values.reduce((sum, one) => sum + one * one, 0))
  return { pValue: Math.min(1, 2 * normalCdf(-Math.abs(z))), above: normalCdf(-z), method: 'normal' }
}

/** The observed signs count as one draw, so p is never 0. */
function byDraws(values: readonly number[], observed: number, random: Random): PermutationP {
  let [far, above] = [1, 1]
  for (let draw = 0; draw < draws; draw += 1) {
    let sum = 0
    for (const value of values) sum += random() < 0.5 ? value : -value
    if (Math.abs(sum) >= Math.abs(observed) - near) far += 1
    if (sum >= observed - near) above += 1
  }
  return { pValue: far / (draws + 1), above: above / (draws + 1), method: 'draws' }
}
