/** whetstone watch, by the function that its flow calls: false alarms in two years of nights, and how fast a fall is found. */
import { expect, test } from 'vitest'
import { createSeededRandom, type Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { followLevel, type LevelRun, type LevelStep } from '../../src/phases/4-report/trend/level_evidence.ts'
import { printTable, share, twoErrors } from './table.ts'

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
  quiet: number
  nights: number
  seed: number
  limit?: number
  size?: number
  parts?: number
}

function live(random: Random, { before, after }: World, life: Life) {
  const parts = life.parts ?? 1
  const baseline = Array.from({ length: before.length * life.baselineRuns }, (_, at) => draw(random, before, at, parts))
  const size = life.size ?? nightRuns
  const steps: LevelStep[] = Array.from({ length: life.quiet + life.nights }, (_, night) => ({
    runs: Array.from({ length: size }, (__, run) =>
      draw(random, night < life.quiet ? before : after, night * size + run, parts),
    ),
  }))
  return followLevel(baseline, steps, { limit: life.limit ?? limit, detect: 0.15, direction: 'fall', seed: life.seed })
}

test('nothing changed: at most one alarm is expected in 730 nights', () => {
  const designs = [
    ['every case at 90%', { before: even(0.9), after: even(0.9) }, 10, 1],
    ['every case at 90%', { before: even(0.9), after: even(0.9) }, 20, 1],
    ['cases differ', { before: mixed, after: mixed }, 20, 1],
    ['every case at 50%, four checks a run', { before: even(0.5), after: even(0.5) }, 5, 4],
  ] as const
  const rows = designs.map(([name, world, baselineRuns, parts], index) => {
    const random = createSeededRandom(8100 + index)
    let [alarms, any] = [0, 0]
    for (let one = 0; one < lives; one += 1) {
      const found = live(random, world, { baselineRuns, quiet: 0, nights: 730, seed: one, parts }).filter(
        ({ isAlarm }) => isAlarm,
      )
      alarms += found.length
      if (found.length > 0) any += 1
    }
    const expected = alarms / lives
    expect(expected).toBeLessThanOrEqual(1 + 2 / Math.sqrt(lives)) // counts of rare events vary like a Poisson count
    return [name, baselineRuns, expected.toFixed(2), share(any / lives)]
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
  const random = createSeededRandom(seed)
  const nights: number[] = []
  let early = 0
  for (let one = 0; one < trials; one += 1) {
    const found = live(random, world, { ...life, nights: 14, seed: one })
    early += found.slice(0, life.quiet).filter(({ isAlarm }) => isAlarm).length
    const at = found.slice(life.quiet).findIndex(({ isAlarm }) => isAlarm)
    nights.push(at === -1 ? Number.POSITIVE_INFINITY : at + 1)
  }
  nights.sort((a, b) => a - b)
  const within = (most: number) => nights.filter((night) => night <= most).length / trials
  return { within, median: nights[Math.floor(trials / 2)] ?? 0, early: early / trials }
}

/** What a run costs in the tables. */
const dollars = (runs: number) => `$${(runs / 10).toFixed(2)}`

test('a fall of 15 points from 90%: in 7 nights with probability .8 where cases differ', () => {
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
      const least = name === 'every case at 90%, then at 75%' ? 0.65 : 0.8
      if (baselineRuns >= 20) expect(found.within(7)).toBeGreaterThan(least - twoErrors(least, trials))
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
      const found = findFalls(world, { baselineRuns: 20, quiet: 0, size }, 8600 + 10 * size + index)
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
  const random = createSeededRandom(8900)
  let alarms = 0
  const times = Math.max(20, Math.round(lives / 10))
  for (let one = 0; one < times; one += 1) {
    const found = live(random, { before: mixed, after: mixed }, { baselineRuns: 20, quiet: 0, nights: 730, seed: one })
    alarms += found.filter(({ p_value }) => p_value < 0.05).length
  }
  expect(alarms / times).toBeGreaterThan(25)
})

test('what breaks it: whole nights that are better or worse by chance', () => {
  const rows = [0, 0.2, 0.4].map((deviation) => {
    const random = createSeededRandom(8950)
    let alarms = 0
    for (let one = 0; one < lives; one += 1) {
      const baseline = Array.from({ length: 400 }, (_, at) => draw(random, mixed, at))
      const steps = Array.from({ length: 730 }, (_, night) => {
        const shift = deviation * Math.sqrt(3) * (2 * random() - 1)
        const rates = mixed.map((rate) => 1 / (1 + ((1 - rate) / Math.max(rate, 1e-9)) * Math.exp(shift)))
        return { runs: Array.from({ length: nightRuns }, (__, run) => draw(random, rates, night * nightRuns + run)) }
      })
      const ends = followLevel(baseline, steps, { limit, detect: 0.15, direction: 'fall', seed: one })
      alarms += ends.filter(({ isAlarm }) => isAlarm).length
    }
    if (deviation === 0) expect(alarms / lives).toBeLessThanOrEqual(1 + 2 / Math.sqrt(lives))
    return [deviation, (alarms / lives).toFixed(2)]
  })
  printTable(
    'Nights that differ: deviation of the log-odds of all cases from night to night',
    ['deviation', 'alarms in 730 nights'],
    rows,
  )
})

test('a stricter limit: --quiet-nights 7300', () => {
  const random = createSeededRandom(8700)
  const world = { before: mixed, after: lowerOdds(mixed, 0.75) }
  let any = 0
  for (let one = 0; one < lives; one += 1) {
    const quiet = live(
      random,
      { before: mixed, after: mixed },
      { baselineRuns: 20, quiet: 0, nights: 730, seed: one, limit: 7300 },
    )
    if (quiet.some(({ isAlarm }) => isAlarm)) any += 1
  }
  expect(any / lives).toBeLessThanOrEqual(0.1 + twoErrors(0.1, lives))
  const found = findFalls(world, { baselineRuns: 20, quiet: 0, limit: 7300 }, 8710)
  const shares = [7, 10, 14].map((most) => share(found.within(most)))
  printTable(
    'Limit 7300',
    ['any alarm in 730 nights', '7 nights', '10', '14', 'median'],
    [[share(any / lives), ...shares, found.median]],
  )
})

test('a slow fall: 15 points over 100 nights', () => {
  const random = createSeededRandom(8720)
  const after = lowerOdds(mixed, 0.75)
  let found = 0
  for (let one = 0; one < lives; one += 1) {
    const baseline = Array.from({ length: 400 }, (_, at) => draw(random, mixed, at))
    const steps = Array.from({ length: 130 }, (_, night) => {
      const part = Math.min(1, night / 100)
      const rates = mixed.map((rate, at) => rate + part * ((after[at] ?? 0) - rate))
      return { runs: Array.from({ length: nightRuns }, (__, run) => draw(random, rates, night * nightRuns + run)) }
    })
    const ends = followLevel(baseline, steps, { limit, detect: 0.15, direction: 'fall', seed: one })
    if (ends.some(({ isAlarm }) => isAlarm)) found += 1
  }
  expect(found / lives).toBeGreaterThan(0.95)
  printTable('A slow fall', ['found within 130 nights'], [[share(found / lives)]])
})

test('a trend in which nothing changes: at most one false mark is expected in 100 benchmarks', () => {
  const random = createSeededRandom(8730)
  let marks = 0
  for (let one = 0; one < lives; one += 1) {
    const steps = Array.from({ length: 101 }, () => ({
      runs: Array.from({ length: 60 }, (_, at) => draw(random, mixed, at)),
    }))
    const [first, ...later] = steps
    const ends = followLevel(first?.runs ?? [], later, { limit: 100, detect: 0.15, direction: 'either', seed: one })
    marks += ends.filter(({ isAlarm }) => isAlarm).length
  }
  expect(marks / lives).toBeLessThanOrEqual(1 + 2 / Math.sqrt(lives))
  printTable(
    'Benchmarks of 20 cases × 3 runs, nothing changed',
    ['marks in 100 benchmarks'],
    [[(marks / lives).toFixed(2)]],
  )
})
