/** whetstone watch, by the function that its flow calls: false alarms in two years of nights, and how fast a fall is found. */
import { expect, test } from 'vitest'
import { levelSettings } from '../../../src/features/watch/watch_state.ts'
import {
  followLevel,
  type LevelRun,
  type LevelSettings,
  type LevelStep,
} from '../../../src/phases/4-report/diff/level_evidence.ts'
import { createSeededRandom, type Random } from '../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { printTable, share, twoErrors } from '../../slow/table.ts'

const trials = Number(process.env.WHETSTONE_TRIALS ?? 1000)
/** Of two years each: fewer, for their time. */
const lives = Math.max(50, Math.round(trials / 5))
const limit = 730
const nightRuns = 12

/** Pass rates of 20 cases, before and after. */
interface World {
  before: number[]
  after: number[]
}

const even = (rate: number) => Array.from({ length: 20 }, () => rate)
/** Mean .9: eight cases always pass, others are between .54 and .98. */
const mixed = [1, 1, 1, 1, 1, 1, 1, 1, 0.98, 0.98, 0.95, 0.95, 0.95, 0.9, 0.9, 0.8, 0.75, 0.7, 0.6, 0.54]

/** Every case falls by the same odds, to this mean. */
function lowerOdds(rates: readonly number[], mean: number): number[] {
  const lowered = (by: number) =>
    rates.map((one) => {
      const failing = Math.max(1 - one, 0.005)
      const odds = (failing / (1 - failing)) * Math.exp(by)
      return 1 / (1 + odds)
    })
  let [low, high] = [0, 8]
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2
    if (lowered(middle).reduce((sum, one) => sum + one, 0) / rates.length > mean) low = middle
    else high = middle
  }
  return lowered(low)
}

const worlds: Record<string, World> = {
  'every case at 90%, then at 75%': { before: even(0.9), after: even(0.75) },
  'cases differ, all get harder': { before: mixed, after: lowerOdds(mixed, 0.75) },
  'cases differ, three break': { before: mixed, after: mixed.map((one, at) => (at < 3 ? 0 : one)) },
}

/** Pass or fail; a graded run of several checks has less noise. */
const draw = (random: Random, rates: readonly number[], at: number, parts = 1): LevelRun => {
  const eval_id = at % rates.length
  let passed = 0
  for (let part = 0; part < parts; part += 1) if (random() < (rates[eval_id] ?? 0)) passed += 1
  return { eval_id, score: passed / parts }
}

interface Life {
  baselineRuns: number
  nights: number
  seed: number
  /** The first nights, which are as before. */
  quiet?: number
  limit?: number
  size?: number
  parts?: number
  /** Of a night, where not those of the world. */
  ratesOf?: (night: number) => readonly number[]
  settings?: Omit<LevelSettings, 'seed'>
}

function live(random: Random, { before, after }: World, life: Life) {
  const { quiet = 0, size = nightRuns, parts = 1, ratesOf = (night: number) => (night < quiet ? before : after) } = life
  const baseline = Array.from({ length: before.length * life.baselineRuns }, (_, at) => draw(random, before, at, parts))
  const steps: LevelStep[] = Array.from({ length: quiet + life.nights }, (_, night) => {
    const rates = ratesOf(night)
    return { runs: Array.from({ length: size }, (__, run) => draw(random, rates, night * size + run, parts)) }
  })
  const { settings = levelSettings({ limit: life.limit ?? limit, detect: 0.15 }), seed } = life
  return followLevel(baseline, steps, { ...settings, seed })
}

/** The alarms of each of many lives: their mean, and the share of lives with any. */
function countAlarms(seed: number, play: (random: Random, one: number) => readonly { isAlarm: boolean }[]) {
  const random = createSeededRandom(seed)
  const counts = Array.from({ length: lives }, (_, one) => play(random, one).filter(({ isAlarm }) => isAlarm).length)
  return {
    mean: counts.reduce((sum, count) => sum + count, 0) / lives,
    any: counts.filter((count) => count > 0).length / lives,
  }
}

const unchanged = (rates: number[]): World => ({ before: rates, after: rates })
/** Without the tolerance. */
const plain = { limit, detect: 0.15, direction: 'fall' as const }
/** Counts of rare events vary like a Poisson count. */
const mostAlarms = 1 + 2 / Math.sqrt(lives)

test('nothing changed: at most one alarm is expected in 730 nights', () => {
  const designs = [
    ['every case at 90%', even(0.9), 10, 1],
    ['every case at 90%', even(0.9), 20, 1],
    ['cases differ', mixed, 20, 1],
    ['every case at 50%, four checks a run', even(0.5), 5, 4],
  ] as const
  const rows = designs.map(([name, rates, baselineRuns, parts], index) => {
    const { mean, any } = countAlarms(8100 + index, (random, seed) =>
      live(random, unchanged(rates), { baselineRuns, nights: 730, seed, parts }),
    )
    expect(mean).toBeLessThanOrEqual(mostAlarms)
    return [name, baselineRuns, mean.toFixed(2), share(any)]
  })
  printTable(
    `Alarms in 730 nights of ${nightRuns} runs, nothing changed (${lives} lives)`,
    ['', 'baseline runs a case', 'alarms, mean', 'any alarm'],
    rows,
  )
})

interface Found {
  within: (nights: number) => number
  median: number
  /** Mean number of alarms before the fall. */
  early: number
}

function findFalls(world: World, life: Omit<Life, 'seed' | 'nights'>, seed: number): Found {
  const { quiet = 0 } = life
  const random = createSeededRandom(seed)
  const nights: number[] = []
  let early = 0
  for (let one = 0; one < trials; one += 1) {
    const found = live(random, world, { ...life, nights: 14, seed: one })
    early += found.slice(0, quiet).filter(({ isAlarm }) => isAlarm).length
    const at = found.slice(quiet).findIndex(({ isAlarm }) => isAlarm)
    nights.push(at === -1 ? Number.POSITIVE_INFINITY : at + 1)
  }
  nights.sort((a, b) => a - b)
  const within = (most: number) => nights.filter((night) => night <= most).length / trials
  return { within, median: nights[Math.floor(trials / 2)] ?? 0, early: early / trials }
}

/** What a run costs in the tables. */
const dollars = (runs: number) => `$${(runs / 10).toFixed(2)}`

test('a fall of 15 points from 90%: in 14 nights of 12 runs with probability .4', () => {
  const designs = [
    [10, 0],
    [20, 0],
    [30, 0],
    [50, 0],
    [20, 60],
  ] as const
  const rows = Object.entries(worlds).flatMap(([name, world], index) =>
    designs.map(([baselineRuns, quiet]) => {
      const found = findFalls(world, { baselineRuns, quiet }, 8200 + 100 * index + baselineRuns + quiet)
      if (baselineRuns >= 20) expect(found.within(14)).toBeGreaterThan(0.4 - twoErrors(0.4, trials))
      const runs = 20 * baselineRuns
      const shares = [7, 10, 14].map((most) => share(found.within(most)))
      return [name, runs, dollars(runs), quiet, ...shares, found.median, share(found.early)]
    }),
  )
  const header = [
    '',
    'baseline runs',
    'cost',
    'quiet nights before',
    '7 nights',
    '10',
    '14',
    'median',
    'false alarms before',
  ]
  printTable(`A fall to 75%, nights of ${nightRuns} runs (${dollars(nightRuns)}), found within`, header, rows)
})

test('other nights and other falls, from a baseline of 400 runs', () => {
  const rows = [6, 12, 24].flatMap((size) =>
    [0.8, 0.75, 0.6].map((mean, index) => {
      const world = { before: mixed, after: lowerOdds(mixed, mean) }
      const found = findFalls(world, { baselineRuns: 20, size }, 8600 + 10 * size + index)
      if (mean === 0.6) expect(found.within(14)).toBeGreaterThan(0.95)
      const shares = [7, 10, 14].map((most) => share(found.within(most)))
      return [
        size,
        dollars(size),
        dollars(30 * size),
        `${Math.round(100 * (0.9 - mean))} points`,
        ...shares,
        found.median,
      ]
    }),
  )
  const header = ['runs a night', 'cost a night', 'a month', 'fall', '7 nights', '10', '14', 'median']
  printTable('Cases that differ, baseline of 400 runs ($40.00), found within', header, rows)
})

test('the control: comparing each night with the baseline at 5% alarms far more often', () => {
  const { mean } = countAlarms(8900, (random, seed) =>
    live(random, unchanged(mixed), { baselineRuns: 20, nights: 730, seed, settings: plain }).map(({ p_value }) => ({
      isAlarm: p_value < 0.05,
    })),
  )
  expect(mean).toBeGreaterThan(25)
})

/** Of the log-odds of all cases: a normal series with this autocorrelation from night to night. */
function varyNights(random: Random, { deviation, correlation }: { deviation: number; correlation: number }) {
  const normal = () => deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  let shift = normal()
  return () => {
    shift = correlation * shift + Math.sqrt(1 - correlation ** 2) * normal()
    return mixed.map((rate) => 1 / (1 + ((1 - Math.min(rate, 0.995)) / Math.min(rate, 0.995)) * Math.exp(shift)))
  }
}

const nightWorlds: Record<string, (random: Random) => () => readonly number[]> = {
  'each night differs, deviation .4': (random) => varyNights(random, { deviation: 0.4, correlation: 0 }),
  'autocorrelation .9, deviation .2': (random) => varyNights(random, { deviation: 0.2, correlation: 0.9 }),
  'autocorrelation .9, deviation .4': (random) => varyNights(random, { deviation: 0.4, correlation: 0.9 }),
  'one night in 20 is 30 points low': (random) => () =>
    random() < 0.05 ? mixed.map((rate) => Math.max(0, rate - 0.3)) : mixed,
}

test('nights that vary, also for weeks: at most one alarm is expected in 730 nights', () => {
  const rows = Object.entries(nightWorlds).map(([name, vary], index) => {
    const alarmsWith = (settings: Omit<LevelSettings, 'seed'>) =>
      countAlarms(8950 + index, (random, seed) => {
        const ratesOf = vary(random)
        return live(random, unchanged(mixed), { baselineRuns: 20, nights: 730, seed, ratesOf, settings })
      }).mean
    const [own, control] = [alarmsWith(levelSettings({ limit, detect: 0.15 })), alarmsWith(plain)]
    expect(own).toBeLessThanOrEqual(mostAlarms)
    expect(control).toBeGreaterThan(own)
    return [name, own.toFixed(2), control.toFixed(2)]
  })
  printTable(
    'Alarms in 730 nights that vary; deviations are of the log-odds of all cases',
    ['', 'alarms', 'without the tolerance'],
    rows,
  )
})

test('a slow fall: 15 points over 100 nights', () => {
  const after = lowerOdds(mixed, 0.75)
  const ratesOf = (night: number) =>
    mixed.map((rate, at) => rate + Math.min(1, night / 100) * ((after[at] ?? 0) - rate))
  const { any } = countAlarms(8720, (random, seed) =>
    live(random, unchanged(mixed), { baselineRuns: 20, nights: 130, seed, ratesOf }),
  )
  expect(any).toBeGreaterThan(0.8 - twoErrors(0.8, lives))
  printTable('A slow fall', ['found within 130 nights'], [[share(any)]])
})

test('a trend in which nothing changes: at most one false mark is expected in 100 benchmarks', () => {
  const { mean } = countAlarms(8730, (random, seed) => {
    const [first, ...later] = Array.from({ length: 101 }, () => ({
      runs: Array.from({ length: 60 }, (_, at) => draw(random, mixed, at)),
    }))
    return followLevel(first?.runs ?? [], later, { limit: 100, detect: 0.15, direction: 'either', seed })
  })
  expect(mean).toBeLessThanOrEqual(mostAlarms)
  printTable('Benchmarks of 20 cases × 3 runs, nothing changed', ['marks in 100 benchmarks'], [[mean.toFixed(2)]])
})
