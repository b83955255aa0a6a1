/** Coverage of the 95% intervals on similar cases in four worlds, from 6 to 50 cases, wherever they are offered. */
import { expect, test } from 'vitest'
import { createSeededRandom } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { sampleInterval } from '../../src/phases/4-report/stats/scopes/similar_cases.ts'
import { drawTruths, meanEffect, type Plan, runSuite, worlds } from './generators.ts'
import { printTable, share, twoErrors } from './table.ts'

const alpha = 0.05
const fewest = 1000
/** Suites are drawn until each interval that is offered to at least 5 of 100 was offered so often, or the most are drawn. */
const wanted = 500
const most = 6000
const offeredFrom = 0.05
const sizes = [6, 8, 10, 15, 20, 30, 50]
const designs = [
  { runs: 3, expectations: 1 },
  { runs: 3, expectations: 4 },
  { runs: 10, expectations: 1 },
]

interface Tally {
  offered: number
  covered: number
}

const kinds = ['paired_t', 'beta_bound'] as const
type Cell = Record<(typeof kinds)[number], Tally> & { trials: number }

function cell(world: World, plan: Plan, at: { effect: number; mean: number; seed: number }): Cell {
  const random = createSeededRandom(at.seed)
  const none = () => ({ offered: 0, covered: 0 })
  const found: Cell = {
    paired_t: none(),
    beta_bound: none(),
    trials: 0,
  }
  const count = (tally: Tally, { low, high }: { low: number; high: number }, truth: number) => {
    tally.offered += 1
    if (low - 1e-9 <= truth && truth <= high + 1e-9) tally.covered += 1
  }
  const isEnough = ({ offered }: Tally) => offered >= wanted || offered < offeredFrom * found.trials
  while (found.trials < fewest || (found.trials < most && !kinds.every((kind) => isEnough(found[kind])))) {
    found.trials += 1
    const truths = drawTruths(random, worlds[world], { cases: plan.cases, effect: at.effect })
    const scores = runSuite(random, truths, plan).map((one) => ({ ...one.scores, expectations: plan.expectations }))
    const sample = sampleInterval(scores, alpha)
    if (sample !== null) count(found[sample.method], sample, at.mean)
  }
  return found
}

type World = keyof typeof worlds
const names = Object.keys(worlds) as World[]

/** A bound is at least as wide as 95 % asks. */
const limits = {
  paired_t: { title: 'paired t', highest: 0.985 },
  beta_bound: { title: 'bound', highest: 1 },
} as const satisfies Record<(typeof kinds)[number], { title: string; highest: number }>

/** What is outside .93 to .98 (of a bound: below .93) by more than two standard errors; null: inside, or offered too seldom. */
function verdictOn(found: Cell, kind: (typeof kinds)[number]): string | null {
  const { offered, covered } = found[kind]
  if (offered < offeredFrom * found.trials || offered === 0) return null
  const rate = covered / offered
  const error = twoErrors(rate, offered)
  if (rate >= 0.93 - error && rate <= limits[kind].highest + error) return null
  return `${limits[kind].title}: ${share(rate)} of ${offered}, offered to ${Math.round((100 * offered) / found.trials)} %`
}

const show = ({ offered, covered }: Tally, trials: number) =>
  offered === 0 ? '–' : `${share(covered / offered)} (${Math.round((100 * offered) / trials)})`

const labelOf = ({ runs, expectations }: (typeof designs)[number]) =>
  `${runs} run${runs === 1 ? '' : 's'}, ${expectations === 1 ? 'pass or fail' : `${expectations} expectations`}`

interface Table {
  effects: readonly number[]
  designs: readonly (typeof designs)[number][]
  sizes: readonly number[]
  /** Of the design and the effect at these places. */
  seedOf: (design: number, effect: number) => number
  shown: readonly (typeof kinds)[number][]
}

/** Prints the coverage of each design and size, and gives what is outside of the limits. */
function tabulate(world: World, { effects, designs, sizes, seedOf, shown }: Table): string[] {
  const outside: string[] = []
  for (const [number, effect] of effects.entries()) {
    const truth = meanEffect(worlds[world], effect)
    const rows = designs.flatMap((design, at) => {
      const cells = sizes.map((cases) =>
        cell(world, { ...design, cases }, { effect, mean: truth, seed: seedOf(at, number) + cases }),
      )
      for (const [index, found] of cells.entries()) {
        const wrong = kinds.flatMap((kind) => verdictOn(found, kind) ?? [])
        outside.push(...wrong.map((text) => `${labelOf(design)}, ${sizes[index]} cases, effect ${effect}, ${text}`))
      }
      return shown.map((kind) => [
        `${labelOf(design)}: ${limits[kind].title}`,
        ...cells.map((found) => show(found[kind], found.trials)),
      ])
    })
    const title = `${world}, mean effect ${truth.toFixed(3)}: coverage (offered in % of suites)`
    printTable(title, ['cases', ...sizes.map(String)], rows)
  }
  return outside
}

test.each(names)('%s', (world) => {
  const seedOf = (design: number, effect: number) => 1000 * effect + 100 * design
  expect(tabulate(world, { effects: [0, 0.15, 0.3], designs, sizes, seedOf, shown: kinds })).toEqual([])
})

const others = [
  ...[1, 2, 4, 5, 6, 8].map((runs) => ({ runs, expectations: 1 })),
  ...[
    { runs: 1, expectations: 4 },
    { runs: 2, expectations: 2 },
    { runs: 2, expectations: 4 },
  ],
  { runs: 3, expectations: 2 },
]

test.each(names)('the designs between, small suites: %s', (world) => {
  const effects = [0.15, 0.3]
  const seedOf = (design: number, effect: number) => 9000 + 100 * design + 10 * (effects[effect] ?? 0)
  const small = [6, 7, 8, 9, 10, 12, 15]
  expect(tabulate(world, { effects, designs: others, sizes: small, seedOf, shown: ['paired_t'] })).toEqual([])
})
