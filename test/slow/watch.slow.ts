/** whetstone watch, by the function that its flow calls: false alarms in two years of nights, and how fast a fall is found. */
import { expect, test } from 'vitest'
import { createSeededRandom, type Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { followLevel, type LevelRun, type LevelStep } from '../../src/phases/4-report/trend/level_evidence.ts'
import { printTable, share, twoErrors } from './table.ts'

const trials = Number(process.env.WHETSTONE_TRIALS ?? 1000)
/** Of two years each: a fifth of the others, for their time. */
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

test('a fall of 15 points from 90%', () => {
  const rows = Object.entries(worlds).flatMap(([name, world], index) =>
    [10, 20, 30, 50].flatMap((baselineRuns) =>
      [0, 60].map((quiet) => {
        const random = createSeededRandom(8200 + 100 * index + baselineRuns + quiet)
        const nights: number[] = []
        let early = 0
        for (let one = 0; one < trials; one += 1) {
          const found = live(random, world, { baselineRuns, quiet, nights: 14, seed: one })
          early += found.slice(0, quiet).filter(({ isAlarm }) => isAlarm).length
          const at = found.slice(quiet).findIndex(({ isAlarm }) => isAlarm)
          nights.push(at === -1 ? Number.POSITIVE_INFINITY : at + 1)
        }
        const within = (most: number) => nights.filter((night) => night <= most).length / trials
        if (name !== 'every case at 90%, then at 75%' && (baselineRuns >= 30 || quiet > 0))
          expect(within(7)).toBeGreaterThan(0.8 - twoErrors(0.8, trials))
        expect(within(10)).toBeGreaterThan(0.6)
        nights.sort((a, b) => a - b)
        return [
          name,
          20 * baselineRuns,
          quiet,
          share(within(7)),
          share(within(10)),
          share(within(14)),
          nights[Math.floor(trials / 2)] ?? 0,
          share(early / trials),
        ]
      }),
    ),
  )
  printTable(
    'Found within',
    ['', 'baseline runs', 'quiet nights before', '7 nights', '10', '14', 'median night', 'false alarms before'],
    rows,
  )
})
