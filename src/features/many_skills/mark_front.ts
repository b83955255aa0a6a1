/**
 * Which rows of an index no other row beats in pass rate and price (Pareto front). A row counts as dominated only if a test shows it: the
 * other one is better at a price that is not higher by the margin, or as good within the margin and cheaper; Holm over all pairs.
 */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { BenchmarkIndex, IndexFront, IndexRow } from '../../../schemas/benchmark_index.ts'
import type { PriceTest } from '../../../schemas/price.ts'
import { isTooSmall } from '../../base/smallest_design.ts'
import { findArms } from '../../phases/4-report/benchmark/arms.ts'
import {
  decidePrice,
  directionShare,
  limitShare,
  type PricedCase,
} from '../../phases/4-report/stats/price/decide_price.ts'
import { hasPriceSpread } from '../../phases/4-report/stats/price/price_ratio.ts'
import { type ScoredCase, type ScoredRun, scoredCases } from '../../phases/4-report/stats/scores/scored_runs.ts'
import { holm } from '../../phases/4-report/stats/tests/adjusted_p_values.ts'

type Axes = NonNullable<BenchmarkIndex['front_axes']>
type Unit = 'cost_usd' | 'tokens'

interface Point {
  one: IndexedBenchmark
  /** Pass rate with the skill, or what the skill adds. */
  rate: number
  price: number
}

export interface MarkedFront {
  axes: Axes
  marks: ReadonlyMap<IndexRow, IndexFront>
}

/** null: fewer than two rows can be compared. */
export function markFront(
  all: readonly IndexedBenchmark[],
  options: { alpha: number; margin: number },
): MarkedFront | null {
  const benchmarks = all.filter(({ isIncomplete }) => !isIncomplete)
  const unit = (['cost_usd', 'tokens'] as const).find((one) => benchmarks.every(({ row }) => isPriced(row, one)))
  if (unit === undefined) return null
  const price = unit === 'cost_usd' ? 'cost' : 'tokens'
  const suites = [...new Set(benchmarks.map(({ suite }) => suite))]
  const groups = suites
    .map((suite) => benchmarks.filter((one) => one.suite === suite))
    .filter((group) => group.length > 1)
  if (groups.length > 0) {
    const marks = groups.flatMap((group) => markGroup(group, unit, options))
    return marks.length === 0 ? null : { axes: `rate_and_${price}`, marks: new Map(marks) }
  }
  const points = benchmarks.flatMap((one) => toLiftPoint(one, unit))
  if (points.length < 2) return null
  return {
    axes: `lift_and_${price}`,
    marks: new Map(points.map((point) => [point.one.row, markPoint(point, points, () => false)])),
  }
}

function isPriced({ candidate }: IndexRow, unit: Unit): boolean {
  const price = candidate?.[unit] ?? null
  return price !== null && price > 0
}

function markGroup(
  group: readonly IndexedBenchmark[],
  unit: Unit,
  options: { alpha: number; margin: number },
): [IndexRow, IndexFront][] {
  const points = group.flatMap((one): Point[] => {
    const { candidate } = one.row
    const [rate, price] = [candidate?.pass_rate?.mean, candidate?.[unit]]
    return rate === undefined || price == null ? [] : [{ one, rate, price }]
  })
  if (points.length < 2) return []
  const pairs = points.flatMap((winner) =>
    points.filter((other) => other !== winner).map((loser) => ({ winner, loser })),
  )
  const adjusted = holm(pairs.map((pair) => testPair(pair, unit, options)))
  const isShown = (winner: Point, loser: Point) =>
    pairs.some((pair, at) => pair.winner === winner && pair.loser === loser && (adjusted[at] ?? 1) <= options.alpha)
  return points.map((point) => [point.one.row, markPoint(point, points, isShown)])
}

/** What the skill adds to the pass rate and to the price of a run. */
function toLiftPoint(one: IndexedBenchmark, unit: Unit): Point[] {
  const { lift, candidate, baseline } = one.row
  const [own, other] = [candidate?.[unit], baseline?.[unit]]
  return lift === null || own == null || other == null ? [] : [{ one, rate: lift.mean, price: own - other }]
}

function markPoint(point: Point, all: readonly Point[], isShown: (winner: Point, loser: Point) => boolean): IndexFront {
  const better = all.filter((other) => dominates(other, point))
  const shown = better.find((other) => isShown(other, point))
  if (shown !== undefined) return { status: 'dominated', by: nameIndexRow(shown.one.row) }
  const [first] = better
  return first === undefined ? { status: 'front', by: null } : { status: 'open', by: nameIndexRow(first.one.row) }
}

function dominates(own: Point, other: Point): boolean {
  const isAsGood = own.rate >= other.rate && own.price <= other.price
  return isAsGood && (own.rate > other.rate || own.price < other.price)
}

/** The p-value of the claim that the winner dominates; 1: it can't be tested. */
function testPair(
  { winner, loser }: { winner: Point; loser: Point },
  unit: Unit,
  { alpha, margin }: { alpha: number; margin: number },
): number {
  if (explainApart(winner.one, loser.one) !== null) return 1
  const cases = pairIndexedCases(winner.one, loser.one).flatMap(([own, other]): PricedCase[] => {
    const [candidate, baseline] = [own.runs.candidate, other.runs.candidate].map((runs) => readPrices(runs, unit))
    if (!candidate?.length || !baseline?.length) return []
    const scores = { candidate: own.candidate, baseline: other.candidate, expectations: own.expectations ?? 1 }
    return [{ scores, prices: { candidate, baseline } }]
  })
  const isPossible =
    cases.length > 0 &&
    hasPriceSpread(cases.map(({ prices }) => prices)) &&
    !isTooSmall(
      cases.map(({ scores }) => scores),
      alpha,
    )
  const decision = isPossible ? decidePrice(cases, { alpha, margin }) : null
  return decision === null ? 1 : testWorth(decision.tests)
}

/** Empty: the price of a run is unknown. */
function readPrices(runs: readonly ScoredRun[], unit: Unit): number[] {
  const prices = runs.flatMap(({ run }) => run.result[unit] ?? [])
  return prices.length === runs.length ? prices : []
}

export interface IndexedBenchmark {
  row: IndexRow
  suite: string
  cases: ScoredCase[]
  at: Date
  isConcurrent: boolean
  /** Runs without a grade could decide its verdict. */
  isIncomplete: boolean
}

/** `suite`: the hash of the suite's content; null: unknown. */
export function indexBenchmark(row: IndexRow, benchmark: Benchmark, suite: string | null): IndexedBenchmark {
  return {
    row,
    suite: suite ?? `skill ${row.skill}`,
    cases: scoredCases(benchmark.runs, findArms(benchmark)),
    at: new Date(benchmark.metadata.timestamp),
    isIncomplete: benchmark.statistics?.missing_grades !== undefined,
    isConcurrent: benchmark.statistics?.older_runs?.is_concurrent !== false,
  }
}

export function pairIndexedCases(a: IndexedBenchmark, b: IndexedBenchmark): [ScoredCase, ScoredCase][] {
  const others = new Map(b.cases.map((one) => [one.evalId, one]))
  return a.cases.flatMap((one): [ScoredCase, ScoredCase][] => {
    const other = others.get(one.evalId)
    return other === undefined ? [] : [[one, other]]
  })
}

/** How far apart in time two benchmarks may be: a model can change in the meantime. */
const mostApartMs = 24 * 3600 * 1000

/** Why the results of two benchmarks must not be compared; null: they may. */
export function explainApart(a: IndexedBenchmark, b: IndexedBenchmark): string | null {
  if (a.isIncomplete || b.isIncomplete) return 'a benchmark is incomplete'
  if (!a.isConcurrent || !b.isConcurrent) return 'a baseline is not concurrent'
  if (Math.abs(a.at.getTime() - b.at.getTime()) > mostApartMs) return 'benchmarks more than a day apart'
  return null
}

/** The name of a row among others: its engine and model, else its skill. */
export function nameIndexRow({ cell, skill }: Pick<IndexRow, 'cell' | 'skill'>): string {
  return cell ?? skill
}

/** The smallest alpha at which the tests show a better result, or one as good and cheaper. */
function testWorth(tests: readonly PriceTest[]): number {
  const smallest = (name: PriceTest['name'], share: number) =>
    (tests.find((one) => one.name === name)?.p_value ?? 1) / share
  const better = Math.max(smallest('rate_higher', directionShare), smallest('price_within_margin', limitShare))
  const cheaper = Math.max(smallest('rate_within_margin', limitShare), smallest('price_lower', directionShare))
  return Math.min(1, better, cheaper)
}
