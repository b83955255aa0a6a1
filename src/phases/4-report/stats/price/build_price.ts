/** Builds `statistics.price`: the verdict with a price, or why there is none. */
import type { Price } from '../../../../../schemas/price.ts'
import { fewestRuns, isTooSmall } from '../../../../base/smallest_design.ts'
import { formatPlural } from '../../text/format.ts'
import { round } from '../numbers/round.ts'
import { computeRatio } from '../scopes/ratio.ts'
import { keepComparable } from '../scores/case_scores.ts'
import type { ScoredCase, ScoredRun } from '../scores/scored_runs.ts'
import type { StatisticsOptions } from '../statistics_options.ts'
import { moderatedT } from '../tests/moderated_t.ts'
import { decidePrice, directionShare, limitShare, type PricedCase } from './decide_price.ts'
import { averagePrices, boundExtraPrice, hasPriceSpread } from './price_ratio.ts'
import { priceSentence } from './price_sentence.ts'

interface PriceOptions
  extends Pick<StatisticsOptions, 'alpha' | 'margin' | 'sequential' | 'olderRuns' | 'isAnotherHour'> {
  /** Why nothing is claimed about these runs; null: no reason. */
  withheld: string | null
}

export function buildPrice(cases: readonly ScoredCase[], options: PriceOptions): Price {
  const known = keepComparable(cases)
  const { alpha, margin, sequential, olderRuns, withheld } = options
  const nothing = (rule: string): Price => withSentence({ ...emptyPrice(options), rule })
  if (known.length === 0) return nothing('no case was graded in both configurations')
  if (withheld !== null) return nothing(withheld)
  if (olderRuns?.is_concurrent === false) return nothing(`the baseline is not concurrent: ${olderRuns.reason}`)
  if (sequential !== null) return nothing('--until decided ends the runs by the pass rate, which biases a second test')
  const unit = chooseUnit(known, options.isAnotherHour ? ['tokens'] : ['cost_usd', 'tokens'])
  if (unit === null) return nothing(explainUnknown(known))
  const priced = known.map((one) => priceCase(one, unit))
  if (!hasPriceSpread(priced.map(({ prices }) => prices)))
    return nothing('the spread of a price needs two runs per case and configuration')
  if (isTooSmall(known, 2 * directionShare * alpha)) {
    const runs = fewestRuns(known.length, 2 * directionShare * alpha)
    return nothing(`even if all runs agreed, it needs at least ${runs} runs per case and configuration`)
  }
  const decision = decidePrice(priced, { alpha, margin })
  if (decision === null) return nothing('no case was graded in both configurations')
  const prices = priced.map((one) => one.prices)
  const means = averagePrices(prices)
  const ratio = computeRatio(prices, alpha)
  return withSentence({
    ...decision,
    rule: `one-sided tests, together wrong in at most ${round(100 * alpha, 1)}%`,
    unit,
    alpha,
    margin,
    candidate_mean: round(means.candidate, 8),
    baseline_mean: round(means.baseline, 8),
    ratio: round(means.candidate / means.baseline, 6),
    ci_low: ratio === null || ratio.low === null ? null : round(ratio.low, 6),
    ci_high: ratio === null || ratio.high === null ? null : round(ratio.high, 6),
    per_point: estimatePerPoint(priced, alpha),
  })
}

function withSentence(price: Omit<Price, 'sentence'>): Price {
  const { verdict, rule, ...others } = price
  return { verdict, rule, sentence: priceSentence(price), ...others }
}

function emptyPrice({ alpha, margin }: Pick<PriceOptions, 'alpha' | 'margin'>): Omit<Price, 'sentence' | 'rule'> {
  const unknown = { candidate_mean: null, baseline_mean: null, ratio: null, ci_low: null, ci_high: null }
  return { verdict: 'inconclusive', unit: null, alpha, margin, ...unknown, per_point: null, tests: [] }
}

type PriceUnit = NonNullable<Price['unit']>

/** The first unit that all runs report, and that is above 0 in both configurations. */
function chooseUnit(cases: readonly ScoredCase[], units: readonly PriceUnit[]): PriceUnit | null {
  const isKnown = (unit: PriceUnit) =>
    (['candidate', 'baseline'] as const).every((side) => {
      const found = cases.flatMap(({ runs }) => runs[side].map((one) => readPrice(one, unit)))
      return found.every((value) => value !== null) && found.some((value) => value !== null && value > 0)
    })
  return units.find(isKnown) ?? null
}

function readPrice({ run }: ScoredRun, unit: PriceUnit): number | null {
  return run.result[unit] ?? null
}

/** "cost is unknown for 3 of 24 runs, tokens for 5". */
function explainUnknown(cases: readonly ScoredCase[]): string {
  const runs = cases.flatMap(({ runs: { candidate, baseline } }) => [...candidate, ...baseline])
  const [cost = 0, tokens = 0] = (['cost_usd', 'tokens'] as const).map(
    (unit) => runs.filter((one) => readPrice(one, unit) === null).length,
  )
  if (cost === 0 || tokens === 0) return 'cost and tokens are 0 in one configuration, or unknown'
  return `cost is unknown for ${cost} of ${formatPlural(runs.length, 'run')}, tokens for ${tokens}`
}

function priceCase(one: ScoredCase, unit: PriceUnit): PricedCase {
  const prices = (side: 'candidate' | 'baseline') => one.runs[side].map((run) => readPrice(run, unit) ?? 0)
  return { scores: one, prices: { candidate: prices('candidate'), baseline: prices('baseline') } }
}

/** The upper bound is that of the price over the lower bound of the difference. null: the difference is not shown to be above 0. */
function estimatePerPoint(cases: readonly PricedCase[], alpha: number): Price['per_point'] {
  const scores = cases.map((one) => one.scores)
  const rate = moderatedT(scores, { alpha: 2 * directionShare * alpha })
  if (rate === null || rate.low <= 0) return null
  const prices = cases.map((one) => one.prices)
  const { candidate, baseline } = averagePrices(prices)
  const most = boundExtraPrice(prices, limitShare * alpha)
  return {
    estimate: round((candidate - baseline) / (100 * rate.mean), 8),
    // a lower price is a saving for any difference, and least for the largest
    at_most: round(most / (100 * (most > 0 ? rate.low : rate.high)), 8),
  }
}
