/**
 * The exact null distribution of a group-sequential permutation test. If both arms are equal on every case, each way to deal the scores of a
 * group (the runs of one case between two analyses) to the arms is equally likely. The difference of the arms' sums is then a random walk.
 */

/** Where the walk may be if no analysis has rejected so far. Scores are integers in units of the caller. */
export interface PermutationPaths {
  /** The chance of each difference from −reach to reach. */
  chances: Float64Array
  reach: number
  /** Of the difference. */
  variance: number
  /** The chance that an earlier analysis rejected. */
  rejected: number
}

export const startPaths: PermutationPaths = { chances: Float64Array.of(1), reach: 0, variance: 0, rejected: 0 }

/** Differences beyond this many standard deviations are left out; they have no chance that a number here would show. */
const farthest = 8

/** Adds a group: as many scores of each arm, non-negative integers. */
export function dealGroup(
  paths: PermutationPaths,
  candidate: readonly number[],
  baseline: readonly number[],
): PermutationPaths {
  const steps = listSteps([...candidate, ...baseline], candidate.length)
  const variance = paths.variance + steps.reduce((sum, { step, chance }) => sum + chance * step ** 2, 0)
  const most = Math.max(0, ...steps.map(({ step }) => step))
  const reach = Math.min(paths.reach + most, Math.ceil(farthest * Math.sqrt(variance)))
  const chances = new Float64Array(2 * reach + 1)
  for (const [at, before] of paths.chances.entries()) {
    if (before === 0) continue
    for (const { step, chance } of steps) {
      const to = at - paths.reach + step + reach
      if (to >= 0 && to < chances.length) chances[to] = (chances[to] ?? 0) + before * chance
    }
  }
  return { ...paths, chances, reach, variance }
}

/** The differences that dealing `n` of these scores to one arm and the rest to the other may give. */
function listSteps(scores: readonly number[], n: number): { step: number; chance: number }[] {
  const total = scores.reduce((sum, one) => sum + one, 0)
  // dealt[k]: the chance of each sum of the arm when it has k of the scores so far
  const dealt = Array.from({ length: n + 1 }, (_, k) => new Float64Array(total + 1).fill(k === 0 ? 1 : 0, 0, 1))
  for (const [seen, score] of scores.entries()) {
    for (let k = Math.min(n, seen); k >= 0; k -= 1) {
      const [own, next] = [dealt[k], dealt[k + 1]]
      const share = (n - k) / (scores.length - seen)
      for (let sum = total; own !== undefined && sum >= 0; sum -= 1) {
        const chance = own[sum] ?? 0
        if (chance === 0) continue
        if (next !== undefined) next[sum + score] = (next[sum + score] ?? 0) + chance * share
        own[sum] = chance * (1 - share)
      }
    }
  }
  return [...(dealt[n] ?? [])].flatMap((chance, sum) => (chance > 0 ? [{ step: 2 * sum - total, chance }] : []))
}

/** The chance, over all analyses so far, that one rejected or that the difference is now at least this far from 0. */
export function tailChance({ chances, reach, rejected }: PermutationPaths, difference: number): number {
  const far = (_: number, at: number) => Math.abs(at - reach) >= Math.abs(difference)
  return Math.min(1, rejected + chances.filter(far).reduce((sum, one) => sum + one, 0))
}

/** The smallest difference that rejects if the analyses up to this one may spend `alpha` in all; null: none does. */
export function findCritical({ chances, reach, rejected }: PermutationPaths, alpha: number): number | null {
  let [tail, critical]: [number, number | null] = [rejected, null]
  for (let at = reach; at > 0; at -= 1) {
    const chance = (chances[reach + at] ?? 0) + (chances[reach - at] ?? 0)
    if (chance === 0) continue
    tail += chance
    if (tail > alpha * (1 + 1e-9)) break
    critical = at
  }
  return critical
}

/** Leaves out what an analysis with this critical difference rejects. */
export function rejectPaths(paths: PermutationPaths, critical: number): PermutationPaths {
  const chances = paths.chances.map((chance, at) => (Math.abs(at - paths.reach) >= critical ? 0 : chance))
  return { ...paths, chances, rejected: tailChance(paths, critical) }
}

/** The logarithm of the chance that chance alone makes so many pairs of a case unanimous, to either side, when dealt in groups of this size. */
export function logUnanimous({ pairs, group, cases = 1 }: { pairs: number; group: number; cases?: number }): number {
  return Math.LN2 - cases * (Math.floor(pairs / group) * logDeals(group) + logDeals(pairs % group))
}

/** The logarithm of the number of ways to deal 2n different scores to two arms. */
function logDeals(n: number): number {
  return Array.from({ length: n }, (_, at) => Math.log((n + at + 1) / (at + 1))).reduce((sum, one) => sum + one, 0)
}
