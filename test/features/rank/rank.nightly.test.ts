/** whetstone rank, by the functions that its flow calls: wrong winners, winners found, and runs against the fixed grid of the same power. */
import { expect, test } from 'vitest'
import { compareByScores } from '../../../src/features/rank/stats/compare_contenders.ts'
import { type Race, race, rankIntervals } from '../../../src/features/rank/stats/race.ts'
import {
  countRaceRuns,
  neededBlocks,
  raceLooks,
  usualGap,
  usualRacePower,
} from '../../../src/features/rank/stats/race_design.ts'
import { createSeededRandom, type Random } from '../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { usualOptions } from '../../../src/phases/4-report/stats/statistics_options.ts'
import { printTable, share, twoErrors } from '../../slow/table.ts'

const trials = Number(process.env.WHETSTONE_TRIALS ?? 1000) // fewer in CI, for its time
const cases = 10
const usdPerRun = 0.1
const clip = (value: number) => Math.min(1, Math.max(0, value))

/** The true rate of each contender on each case. `leads`: of each over the last one, on average over the cases. */
type World = (random: Random, leads: readonly number[]) => number[][]

const worlds: Record<'coin flips' | 'mixed cases' | 'heterogeneous', World> = {
  'coin flips': (_, leads) => leads.map((lead) => Array(cases).fill(0.42 + lead)),
  /** From hard to easy. */
  'mixed cases': (random, leads) => {
    const base = Array.from({ length: cases }, () => 0.02 + 0.8 * random())
    return leads.map((lead) => base.map((rate) => rate + lead))
  },
  /** Each contender is better on some cases and worse on others; these even out, so that the lead is exact. */
  heterogeneous: (random, leads) => {
    const base = Array.from({ length: cases }, () => 0.22 + 0.4 * random())
    return leads.map((lead) => {
      const own = base.map(() => (random() < 0.5 ? -0.2 : 0.2) * random())
      const mean = own.reduce((sum, one) => sum + one, 0) / cases
      return base.map((rate, at) => clip(rate + lead + (own[at] ?? 0) - mean))
    })
  },
}

interface End {
  ended: Race
  runs: number
  /** Whether every rank interval has the true rank; for equal contenders any of their ranks. */
  holds: boolean
}

function drawScores(random: Random, rates: number[][], most: number) {
  const draw = (rate: number) => Array.from({ length: most }, () => (random() < rate ? 1 : 0))
  return rates.map((own) => own.map((rate) => ({ scores: draw(rate), expectations: 1 })))
}

function simulateRace(random: Random, world: World, how: { leads: readonly number[]; looks: readonly number[] }): End {
  const { leads, looks } = how
  const most = looks.at(-1) ?? 0
  const scored = drawScores(random, world(random, leads), most)
  const design = { contenders: leads.length, alpha: usualOptions.alpha, gap: usualGap, looks }
  const ended = race(
    design,
    leads.map(() => most),
    compareByScores(scored),
  )
  const holds = rankIntervals(ended).every(([best, worst], one) => {
    const own = leads[one] ?? 0
    const above = leads.filter((lead) => lead > own + 1e-9).length
    const below = leads.filter((lead) => lead < own - 1e-9).length
    return best <= 1 + above && worst >= leads.length - below
  })
  return { ended, runs: countRaceRuns(ended, cases), holds }
}

/** Eight contenders have 28 pairs, which takes long: a quarter of the races. */
const timesOf = (leads: readonly number[]) => (leads.length > 4 ? Math.ceil(trials / 4) : trials)

function simulate(seed: number, world: World, how: Parameters<typeof simulateRace>[2]): End[] {
  const random = createSeededRandom(seed)
  return Array.from({ length: timesOf(how.leads) }, () => simulateRace(random, world, how))
}

const rate = (ends: readonly End[], is: (end: End) => boolean) => ends.filter(is).length / ends.length
const meanRuns = (ends: readonly End[]) => ends.reduce((sum, { runs }) => sum + runs, 0) / ends.length
const dollars = (runs: number) => `${Math.round(runs * usdPerRun)} $`
const names = Object.keys(worlds) as (keyof typeof worlds)[]

const sizeOf = (contenders: number) => neededBlocks({ contenders, cases, gap: usualGap, power: usualRacePower })
const oneLeads = (contenders: number, lead: number) =>
  Array.from({ length: contenders }, (_, at) => (at === 0 ? lead : 0))

/** The fewest blocks of a fixed grid that names the winner at least this often. */
function fixedBlocks(
  seed: number,
  world: World,
  { leads, found }: { leads: readonly number[]; found: number },
): number {
  let [low, high] = [1, 2 * sizeOf(leads.length)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (rate(simulate(seed, world, { leads, looks: [middle] }), ({ ended }) => ended.winner === 0) < found) low = middle
    else high = middle
  }
  return high
}

test('a lead of 15 points: at most 60 % of the runs of the fixed grid of the same power, a wrong winner in at most 5 of 100', () => {
  const wrong: string[] = []
  const rows = [2, 4, 8].flatMap((contenders) =>
    names.map((name, at) => {
      const seed = 100 * contenders + at
      const [blocks, leads] = [sizeOf(contenders), oneLeads(contenders, usualGap)]
      const ends = simulate(seed, worlds[name], { leads, looks: raceLooks(blocks) })
      const found = rate(ends, ({ ended }) => ended.winner === 0)
      const other = rate(ends, ({ ended }) => ended.winner !== null && ended.winner !== 0)
      const held = rate(ends, ({ holds }) => holds)
      const runs = meanRuns(ends)
      const grid = fixedBlocks(seed + 50, worlds[name], { leads, found }) * contenders * cases
      const times = timesOf(leads)
      // power near 1 is hard to see in a few races, and the size of the grid follows it
      const slack = 1.8 / Math.sqrt(times)
      const label = `${contenders} contenders, ${name}`
      if (runs / grid > 0.6 + slack) wrong.push(`${label}: ${share(runs / grid)} of the grid`)
      if (other > 0.05 + twoErrors(0.05, times)) wrong.push(`${label}: wrong winner ${share(other)}`)
      if (held < 0.95 - twoErrors(0.95, timesOf(leads))) wrong.push(`${label}: rank intervals hold in ${share(held)}`)
      const most = blocks * contenders * cases
      return [
        ...[label, share(found), share(other), share(held), Math.round(runs), grid, share(runs / grid)],
        ...[most, dollars(runs), dollars(grid)],
      ]
    }),
  )
  printTable(
    'Rank, the best leads all others by 15 points, 10 cases',
    [
      '',
      'winner named',
      'wrong winner',
      'rank intervals hold',
      'runs',
      'fixed grid',
      'share',
      'at most',
      'cost',
      'cost of the grid',
    ],
    rows,
  )
  expect(wrong).toEqual([])
})

test('all equal: a winner in at most 5 of 100', () => {
  const wrong: string[] = []
  const rows = [2, 4, 8].flatMap((contenders) =>
    names.map((name, at) => {
      const blocks = sizeOf(contenders)
      const leads = oneLeads(contenders, 0)
      const ends = simulate(5000 + 100 * contenders + at, worlds[name], { leads, looks: raceLooks(blocks) })
      const [named, held] = [rate(ends, ({ ended }) => ended.winner !== null), rate(ends, ({ holds }) => holds)]
      const close = rate(ends, ({ ended }) => ended.status === 'close')
      const label = `${contenders} contenders, ${name}`
      if (named > 0.05 + twoErrors(0.05, timesOf(leads))) wrong.push(`${label}: ${share(named)}`)
      if (held < 0.95 - twoErrors(0.95, timesOf(leads))) wrong.push(`${label}: rank intervals hold in ${share(held)}`)
      const runs = meanRuns(ends)
      return [
        label,
        share(named),
        share(held),
        share(close),
        Math.round(runs),
        blocks * contenders * cases,
        dollars(runs),
      ]
    }),
  )
  printTable(
    'Rank, all equal, 10 cases',
    ['', 'winner named', 'rank intervals hold', 'ended as close', 'runs', 'at most', 'cost'],
    rows,
  )
  expect(wrong).toEqual([])
})

test('a ladder and a tie at the top: rank intervals hold, and the tie names no winner', () => {
  const wrong: string[] = []
  const ladders = { 'steps of 8 points': [0.24, 0.16, 0.08, 0], 'two best are equal': [0.3, 0.3, 0.1, 0] }
  const rows = Object.entries(ladders).map(([name, leads], at) => {
    const looks = raceLooks(sizeOf(leads.length))
    const ends = simulate(8000 + at, worlds.heterogeneous, { leads, looks })
    const isTie = leads[0] === leads[1]
    const other = rate(ends, ({ ended: { winner } }) => winner !== null && (isTie || winner !== 0))
    const held = rate(ends, ({ holds }) => holds)
    if (other > 0.05 + twoErrors(0.05, trials)) wrong.push(`${name}: ${share(other)}`)
    if (held < 0.95 - twoErrors(0.95, trials)) wrong.push(`${name}: rank intervals hold in ${share(held)}`)
    const runs = meanRuns(ends)
    return [
      name,
      share(rate(ends, ({ ended }) => ended.winner === 0) * (isTie ? 0 : 1)),
      share(other),
      share(held),
      Math.round(runs),
      dollars(runs),
    ]
  })
  printTable(
    'Rank, four contenders, 10 cases',
    ['', 'winner named', 'wrong winner', 'rank intervals hold', 'runs', 'cost'],
    rows,
  )
  expect(wrong).toEqual([])
})

test('the control: looks that are not paid for name a winner among equals too often', () => {
  const random = createSeededRandom(9000)
  const looks = raceLooks(sizeOf(2))
  let named = 0
  for (let trial = 0; trial < trials; trial += 1) {
    const seed = Math.floor(random() * 1e9)
    const leads = oneLeads(2, 0)
    // the same runs each time: a fixed-size test after each look
    if (looks.some((blocks) => simulateFirst(seed, leads, { blocks, most: looks.at(-1) ?? 0 }))) named += 1
  }
  console.log(`\nA test of fixed size at each look: a winner in ${share(named / trials)}\n`)
  expect(named / trials).toBeGreaterThan(0.1)
})

function simulateFirst(seed: number, leads: readonly number[], at: { blocks: number; most: number }): boolean {
  const random = createSeededRandom(seed)
  const scored = drawScores(random, worlds['mixed cases'](random, leads), at.most)
  const design = { contenders: 2, alpha: usualOptions.alpha, gap: usualGap, looks: [at.blocks] }
  return race(design, [at.blocks, at.blocks], compareByScores(scored)).winner !== null
}
