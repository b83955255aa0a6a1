/** Exact permutation p-values: scores as shares of few expectations are on a lattice, where distributions of sums can be counted. */
import type { CaseScores } from '../scores/case_scores.ts'

/** With more counting steps than this there is no exact result. */
const mostSteps = 1e8
const mostParts = 5040
const near = 1e-9

/** One case on the lattice: its difference is `weight` × the candidate's sum + a constant. */
interface LatticeCase {
  scores: number[]
  own: number
  weight: number
}

/** null: the scores have no small common denominator, or counting takes too many steps. */
export function exactPValue(cases: readonly CaseScores[]): number | null {
  const parts = commonParts(cases)
  const lattice = parts === null ? null : toLattice(cases, parts)
  if (lattice === null || countLatticeSteps(lattice) > mostSteps) return null
  let sum: Distribution = { first: 0, weights: Float64Array.of(1) }
  for (const one of lattice) sum = convolve(sum, subsetSums(one), one.weight)
  const observed = lattice.reduce((total, one) => total + one.weight * sumFirstScores(one, one.own), 0)
  const centre = lattice.reduce((total, one) => {
    return total + (one.weight * one.own * sumFirstScores(one, one.scores.length)) / one.scores.length
  }, 0)
  return farShare(sum, observed, centre)
}

function sumFirstScores({ scores }: LatticeCase, count: number): number {
  return scores.slice(0, count).reduce((sum, one) => sum + one, 0)
}

/** Of the sums that are at least as far from the centre as the observed one. */
function farShare({ first, weights }: Distribution, observed: number, centre: number): number {
  let [far, all] = [0, 0]
  for (const [at, weight] of weights.entries()) {
    all += weight
    if (Math.abs(first + at - centre) >= Math.abs(observed - centre) - near) far += weight
  }
  return Math.min(1, far / all)
}

/** The smallest number of parts that makes every score a whole number; null: above 5,040. */
function commonParts(cases: readonly CaseScores[]): number | null {
  let parts = 1
  for (const { candidate, baseline } of cases) {
    for (const score of [...candidate, ...baseline]) {
      if (isWhole(score * parts)) continue
      let more = 2
      while (more <= 100 && !isWhole(score * more)) more += 1
      parts = leastMultiple(parts, more)
      if (more > 100 || parts > mostParts) return null
    }
  }
  return parts
}

function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-7
}

/** null: the numbers of runs have no small common multiple. */
function toLattice(cases: readonly CaseScores[], parts: number): LatticeCase[] | null {
  const products = cases.map(({ candidate, baseline }) => candidate.length * baseline.length)
  const common = [...new Set(products)].reduce((all, one) => (all > 1e9 ? all : leastMultiple(all, one)), 1)
  if (common > 1e9) return null
  const found = cases.map(({ candidate, baseline }, at) => ({
    scores: [...candidate, ...baseline].map((score) => Math.round(score * parts)),
    own: candidate.length,
    weight: ((candidate.length + baseline.length) * common) / (products[at] ?? 1),
  }))
  const divisor = found.reduce((all, one) => greatestDivisor(all, one.weight), 0)
  return found.map((one) => ({ ...one, weight: one.weight / divisor }))
}

function countLatticeSteps(lattice: readonly LatticeCase[]): number {
  let [steps, width] = [0, 1]
  for (const { scores, own, weight } of lattice) {
    if (scores.length > 1000) return Number.POSITIVE_INFINITY
    const range = own * (Math.max(...scores) - Math.min(...scores)) + 1
    steps += scores.length * own * range + width * range
    width += weight * (range - 1)
  }
  return steps
}

/** Weights of consecutive whole numbers, starting at `first`. */
interface Distribution {
  first: number
  weights: Float64Array
}

/** For each sum, the share of the ways to choose `own` scores that add up to it. */
function subsetSums({ scores, own }: LatticeCase): Distribution {
  const least = Math.min(...scores)
  const range = own * (Math.max(...scores) - least) + 1
  const ways = Array.from({ length: own + 1 }, () => new Float64Array(range))
  if (ways[0]) ways[0][0] = 1
  for (const score of scores) {
    const step = score - least
    for (let count = own; count > 0; count -= 1) {
      const [to, from] = [ways[count], ways[count - 1]]
      if (!to || !from) continue
      for (let at = range - 1; at >= step; at -= 1) to[at] = (to[at] ?? 0) + (from[at - step] ?? 0)
    }
  }
  const weights = ways[own] ?? Float64Array.of(1)
  const all = weights.reduce((sum, one) => sum + one, 0)
  return { first: own * least, weights: weights.map((one) => one / all) }
}

function convolve(sum: Distribution, one: Distribution, weight: number): Distribution {
  const weights = new Float64Array(sum.weights.length + weight * (one.weights.length - 1))
  for (const [at, share] of one.weights.entries()) {
    if (share === 0) continue
    const shift = at * weight
    for (let to = 0; to < sum.weights.length; to += 1) {
      weights[to + shift] = (weights[to + shift] ?? 0) + share * (sum.weights[to] ?? 0)
    }
  }
  return { first: sum.first + weight * one.first, weights }
}

export function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}

function leastMultiple(a: number, b: number): number {
  return (a / greatestDivisor(a, b)) * b
}
