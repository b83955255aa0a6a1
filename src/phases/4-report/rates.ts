/** The rate of each arm that is told first: pooled over runs as skill-creator does, unless that compares other cases in one arm than in the other. */
import type { CaseRow } from '../../../schemas/benchmark.ts'
import type { Arms } from './arms.ts'
import { hundredths } from './words.ts'

export interface Rates {
  candidate: number
  baseline: number
}

export interface ToldRates extends Rates {
  /** The pooled ones, which tell another difference: then each case counts once here. null: these are the pooled ones. */
  pooled: Rates | null
}

/** `pooled`: the means over all graded runs of each arm. */
export function toldRates(pooled: Rates, rows: readonly CaseRow[], arms: Arms): ToldRates {
  const once = eachCaseOnce(rows, arms)
  return once === null || differenceOf(once) === differenceOf(pooled)
    ? { ...pooled, pooled: null }
    : { ...once, pooled }
}

/** In points; a difference that is less than one is told from none. */
function differenceOf({ candidate, baseline }: Rates): number {
  const difference = candidate - baseline
  return hundredths(difference) || Math.sign(difference) / 2
}

/** Of the cases that have graded runs in both arms. null: there is none, or all have the same number of runs, of which both ways give the same. */
function eachCaseOnce(rows: readonly CaseRow[], { candidate, baseline }: Arms): Rates | null {
  const cells = rows.map(({ arms }) => [arms[candidate ?? ''], arms[baseline ?? '']] as const)
  const isEven = [0, 1].every((arm) => new Set(cells.map((pair) => pair[arm]?.runs ?? 0)).size === 1)
  const both = cells.flatMap(([own, other]) =>
    own?.pass_rate && other?.pass_rate ? [{ candidate: own.pass_rate.mean, baseline: other.pass_rate.mean }] : [],
  )
  if (isEven || both.length === 0) return null
  const mean = (arm: keyof Rates) => both.reduce((sum, one) => sum + one[arm], 0) / both.length
  return { candidate: mean('candidate'), baseline: mean('baseline') }
}
