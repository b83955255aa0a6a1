/** When the interim analyses of `--until decided` take place, how much alpha they spend, and what they cost in power. */
import { normalCdf, normalQuantile } from '../distributions/quantiles.ts'
import type { Sequential } from '../statistics_options.ts'
import { logUnanimous } from '../tests/permutation_paths.ts'

/**
 * With less predictive power a benchmark stops for futility. Such a stop ends without a rejection, and the critical values assume that it
 * never happens, so it can't raise the type I error.
 */
export const leastPredictivePower = 0.16

const mostLooks = 10

/**
 * The runs per case from which adaptive stopping keeps what docs/explanation/statistics.md says of its cost and power. With fewer blocks a benchmark
 * has few places to stop; with fewer pairs its test finds less than that of a fixed size.
 */
export function fewestUntilRuns(cases: number): number {
  return Math.max(8, Math.ceil(40 / cases))
}

/** The type I error that the analyses up to this share of the blocks may spend: α·t² (Kim and DeMets 1987). */
export function spendAlpha(alpha: number, share: number): number {
  return alpha * share ** 2
}

/** A fixed-size test at this alpha has about the same power: interim analyses and stops for futility cost some (simulated: test/slow). */
export function untilAlpha(alpha: number): number {
  return alpha / 2
}

type Planned = Pick<Sequential, 'maxRuns' | 'cases'>

/** The most pairs of a case that are dealt together: all between two analyses, but more would take long and gain nothing. */
export const mostDealt = 4

export interface LookSchedule {
  /** The blocks with an analysis after them, evenly spaced, from the first that could stop the benchmark to the last. */
  looks: number[]
  /** Pairs of a case that are dealt together. */
  group: number
}

export function scheduleLooks(planned: Planned, alpha: number): LookSchedule {
  const { maxRuns, cases } = planned
  const usual = Math.ceil(maxRuns / mostLooks)
  // a budget of which half can't be significant in parts is analysed as a whole
  const isSmall =
    logUnanimous({ pairs: Math.floor(maxRuns / 2), group: Math.min(usual, mostDealt), cases }) > Math.log(alpha)
  const step = isSmall ? maxRuns : usual
  const group = Math.min(step, mostDealt)
  const all = Array.from({ length: Math.ceil(maxRuns / step) }, (_, at) => Math.min(maxRuns, (at + 1) * step))
  return { looks: all.filter((blocks) => blocks === maxRuns || canStop(blocks, { planned, group, alpha })), group }
}

/** Whether this many blocks of only wins are significant, or of only ties futile. */
function canStop(blocks: number, { planned, group, alpha }: { planned: Planned; group: number; alpha: number }) {
  const { maxRuns, cases } = planned
  if (logUnanimous({ pairs: blocks, group: mostDealt, cases }) <= Math.log(spendAlpha(alpha, blocks / maxRuns)))
    return true
  const ties = { pairs: blocks * cases, unequal: 0, sum: 0, squares: 0, variance: 0 }
  const power = predictivePower({ ...ties, group, remaining: (maxRuns - blocks) * cases, alpha })
  return power !== null && power < leastPredictivePower
}

export interface PairsSoFar {
  pairs: number
  /** Pairs whose scores differ. */
  unequal: number
  /** Of the differences, and of their squares. */
  sum: number
  squares: number
  /** Of the sum, if both arms are equal on every case. */
  variance: number
  /** Pairs of a case that are dealt together. */
  group: number
  /** Pairs that the budget of runs still allows. */
  remaining: number
  alpha: number
}

/**
 * For a fixed-size test of all planned pairs, in either direction. Normal approximation; flat prior on the mean difference, Jeffreys prior
 * on the share of unequal pairs. null: no pair yet, or none left.
 */
export function predictivePower(found: PairsSoFar): number | null {
  const { pairs, unequal, sum, squares, variance, group, remaining, alpha } = found
  if (remaining === 0 || pairs === 0) return null
  const [planned, z, least] = [pairs + remaining, normalQuantile(1 - alpha / 2), leastUnequal(group, alpha)]
  // in units of the usual size of a difference
  const size = unequal === 0 ? 1 : Math.sqrt(squares / unequal)
  const [lead, informative] = [Math.abs(sum) / size, variance / size ** 2]
  const atBest = (lead + remaining) / Math.sqrt(informative + (remaining * group) / (2 * group - 1))
  if (unequal + remaining < least || atBest < z) return 0
  const expected = (planned * (informative + 0.5)) / (pairs + 1)
  const critical = Math.max(z * Math.sqrt(expected), least)
  const [mean, spread] = [(lead * planned) / pairs, Math.sqrt((expected * remaining) / pairs)]
  return normalCdf((mean - critical) / spread) + normalCdf((-mean - critical) / spread)
}

/** The fewest unequal pairs of one case that are significant, if all of them are won. */
function leastUnequal(group: number, alpha: number): number {
  let pairs = 1
  while (logUnanimous({ pairs, group }) > Math.log(alpha)) pairs += 1
  return pairs
}
