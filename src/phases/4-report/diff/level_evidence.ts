/**
 * Evidence that the level of a suite changed, from a few runs at a time: an e-detector (Shin, Ramdas and Rinaldo, "E-detectors", 2023).
 * If nothing changed, at most one alarm is expected in `limit` steps.
 */
import { sum } from '../../../base/totals.ts'
import { greatestDivisor } from '../stats/distributions/exact_permutation.ts'
import { normalQuantile } from '../stats/distributions/quantiles.ts'
import { createSeededRandom } from '../stats/distributions/seeded_random.ts'

/** A graded run; `score`: its pass rate, 0 to 1. */
export interface LevelRun {
  eval_id: number
  score: number
}

/** The runs of one night or one benchmark. */
export interface LevelStep {
  runs: readonly LevelRun[]
  /** The evidence starts again at 0 after this step. */
  restarts?: boolean
}

export interface LevelSettings {
  /** Alarm when the evidence reaches it: with no change, one alarm is expected in at least this many steps. */
  limit: number
  /** The change that the bets are made for, as a share of 1. Another one is found too, later or earlier. */
  detect: number
  direction: 'fall' | 'either'
  /** A fall of up to this share, from night to night or for weeks, is no evidence: providers vary. Absent: 0. */
  tolerance?: number
  /** The most that one step can multiply the evidence by, so that it takes several; absent: no limit. */
  mostPerStep?: number
  /** Of the random order of equal totals. */
  seed: number
}

export interface LevelEvidence {
  /** Mean score of the step's runs; null: it has none. */
  level: number | null
  /** What the earlier runs of the same cases let expect; null: there are none. */
  expected: number | null
  /** Uniform on 0 to 1 if nothing changed; small: lower than expected. */
  p_value: number
  /** The factor of this step; 1: no evidence. */
  e_value: number
  /** Shiryaev and Roberts' sum of the products of e-values over all possible starts of a change. */
  evidence: number
  isAlarm: boolean
  /** With an alarm: index of the step at which the change most probably began. */
  since: number | null
}

const near = 1e-9

/**
 * One result for each step. Each case is compared with its own earlier runs: those of `baseline` and of all steps before. If each case's runs are exchangeable,
 * the p-values are independent and uniform (conformal prediction: Vovk, "Testing randomness online", 2021), so the baseline's uncertainty counts exactly.
 */
export function followLevel(
  baseline: readonly LevelRun[],
  steps: readonly LevelStep[],
  settings: LevelSettings,
): LevelEvidence[] {
  const pools = new Map<number, Scores>()
  for (const run of baseline) addRun(pools, run)
  const random = createSeededRandom(settings.seed)
  const bets: PlacedBet[] = []
  let evidence = 0
  let start = 0
  const { tolerance = 0, mostPerStep = Number.POSITIVE_INFINITY } = settings
  return steps.map(({ runs, restarts }, at) => {
    const own = new Map<number, Scores>()
    for (const run of runs) addRun(own, run)
    const known = [...own].flatMap(([eval_id, scores]) => {
      const pool = pools.get(eval_id)
      return pool === undefined ? [] : { own: scores, pool }
    })
    const count = sum(known.map((one) => countScores(one.own)))
    const { lower, equal } = rankTotal(known, { tolerance, random })
    const p_value = lower + random() * equal
    const table = betTable(settings.detect * Math.sqrt(count), settings.direction)
    const e_value = count === 0 ? 1 : bet(table, p_value, Math.min(mostPerStep, settings.limit / (evidence + 1)))
    evidence = count === 0 ? evidence : (evidence + 1) * e_value
    bets.push(count === 0 ? null : { table, from: lower, to: lower + equal })
    const isAlarm = evidence >= settings.limit * (1 - near)
    const since = isAlarm ? findStart(bets, start) : null
    const level = runs.length === 0 ? null : mean(runs.map(({ score }) => score))
    const expected =
      count === 0 ? null : sum(known.map((one) => countScores(one.own) * meanScore(one.pool))) / (count * parts)
    for (const run of runs) addRun(pools, run)
    const result = { level, expected, p_value, e_value, evidence, isAlarm, since }
    if (isAlarm || restarts) {
      evidence = 0
      start = at + 1
    }
    return result
  })
}

/** How often each score occurred; scores are whole parts of 1. */
type Scores = Map<number, number>

/** Scores are compared in hundredths, so that the distribution of a total can be counted. */
const parts = 100

function addRun(pools: Map<number, Scores>, { eval_id, score }: LevelRun): void {
  const scores: Scores = pools.get(eval_id) ?? new Map()
  add(scores, Math.round(score * parts), 1)
  pools.set(eval_id, scores)
}

function add(to: Map<number, number>, key: number, amount: number): void {
  to.set(key, (to.get(key) ?? 0) + amount)
}

function countScores(scores: Scores): number {
  let count = 0
  for (const times of scores.values()) count += times
  return count
}

function totalScore(scores: Scores): number {
  let total = 0
  for (const [score, times] of scores) total += score * times
  return total
}

function meanScore(scores: Scores): number {
  return totalScore(scores) / countScores(scores)
}

/**
 * The exact place of the step's total among all ways to exchange its runs with earlier runs of the same case: the chance of a lower and of
 * an equal one. The total is raised by the tolerance first; a part of the smallest step between totals is drawn.
 */
function rankTotal(
  strata: readonly { own: Scores; pool: Scores }[],
  { tolerance, random }: { tolerance: number; random: () => number },
): { lower: number; equal: number } {
  const scores = strata.flatMap(({ own, pool }) => [...own.keys(), ...pool.keys()])
  const smallest = scores.reduce(greatestDivisor, parts)
  const raised = (tolerance * parts * sum(strata.map(({ own }) => countScores(own)))) / smallest
  const steps = Math.floor(raised) + (raised % 1 > 0 && random() < raised % 1 ? 1 : 0)
  const observed = sum(strata.map(({ own }) => totalScore(own))) + smallest * steps
  let totals: Map<number, number> = new Map([[0, 1]])
  for (const { own, pool } of strata) {
    const one = spreadOfTotal(own, pool)
    const next = new Map<number, number>()
    for (const [total, chance] of totals) for (const [more, share] of one) add(next, total + more, chance * share)
    totals = next
  }
  let lower = 0
  for (const [total, chance] of totals) if (total < observed) lower += chance
  return { lower, equal: totals.get(observed) ?? 0 }
}

/** The chance of each total of as many scores as `own` has, drawn without replacement from both. */
function spreadOfTotal(own: Scores, pool: Scores): Map<number, number> {
  const all = new Map(pool)
  for (const [score, times] of own) add(all, score, times)
  const count = countScores(own)
  const possible = choose(countScores(all), count)
  if (count === 1) {
    for (const [score, times] of all) all.set(score, times / possible)
    return all
  }
  const ways: Map<number, number>[] = Array.from({ length: count + 1 }, () => new Map())
  ways[0]?.set(0, 1)
  for (const [score, times] of all) {
    for (let size = count; size > 0; size -= 1) {
      for (let taken = 1; taken <= Math.min(times, size); taken += 1) {
        const chosen = choose(times, taken)
        for (const [total, number] of ways[size - taken] ?? []) {
          add(ways[size] ?? new Map(), total + taken * score, chosen * number)
        }
      }
    }
  }
  return new Map([...(ways[count] ?? [])].map(([total, number]) => [total, number / possible]))
}

function choose(of: number, count: number): number {
  let ways = 1
  for (let at = 0; at < count; at += 1) ways *= (of - at) / (at + 1)
  return ways
}

/** The deviations of single runs that the bets are spread over: of cases at about 96%, 90% and 50%. */
const deviations = [0.2, 0.3, 0.5]
const largestShift = 2.5
const cells = 1000
const quantiles = Array.from({ length: cells }, (_, at) => normalQuantile((at + 0.5) / cells))

/**
 * An e-value: its mean is at most 1 for a uniform p. Cut at `most`, where the alarm is certain, and scaled up for what the cut takes away, so that the
 * evidence never overshoots the limit.
 */
function bet({ factors, largest }: BetTable, p: number, most: number): number {
  let scale = 1
  for (let whole = most > 1 && largest > most ? 0 : 1; whole < 1 - 1e-4; scale /= whole) {
    let total = 0
    for (const one of factors) total += Math.min(most, scale * one)
    whole = total / cells
  }
  return Math.min(most, scale * (factors[findCell(p)] ?? 1))
}

function findCell(p: number): number {
  return Math.min(cells - 1, Math.floor(p * cells))
}

/** A step's bet, and the p-values that all orders of equal totals give; null: there was none. */
type PlacedBet = { table: BetTable; from: number; to: number } | null

/** The mean bet over all orders of equal totals, to say when a change began. */
function averageBet(placed: PlacedBet): number {
  if (placed === null) return 1
  return mean(placed.table.factors.slice(findCell(placed.from), findCell(placed.to) + 1))
}

/** `factors`: by cell of the p-value; their mean is 1. */
interface BetTable {
  factors: number[]
  largest: number
}

const tables = new Map<string, BetTable>()

/** A mixture of likelihood ratios of shifted normal scores. */
function betTable(change: number, direction: LevelSettings['direction']): BetTable {
  const key = `${change} ${direction}`
  const known = tables.get(key)
  if (known !== undefined) return known
  const signs = direction === 'fall' ? [-1] : [-1, 1]
  const shifts = deviations.flatMap((deviation) => {
    const shift = Math.min(largestShift, change / deviation)
    return signs.map((sign) => sign * shift)
  })
  const raw = quantiles.map((z) => mean(shifts.map((shift) => Math.exp(shift * z - (shift * shift) / 2))))
  const whole = mean(raw)
  const factors = raw.map((one) => one / whole)
  const table = { factors, largest: Math.max(...factors) }
  tables.set(key, table)
  return table
}

/** The start with the largest product of e-values up to the last step. */
function findStart(bets: readonly PlacedBet[], from: number): number {
  let [best, start, product] = [0, bets.length - 1, 1]
  for (let at = bets.length - 1; at >= from; at -= 1) {
    product *= averageBet(bets[at] ?? null)
    if (product <= best * (1 + near)) continue
    best = product
    start = at
  }
  return start
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length
}
