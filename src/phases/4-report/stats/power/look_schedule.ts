/** When the interim analyses of `--until decided` take place, how much alpha they spend, and what they cost in power. */
import type { Sequential } from '../statistics_options.ts'
import { logUnanimous } from '../tests/permutation_paths.ts'
import { predictivePower } from './predictive_power.ts'

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
