/** Coverage, false verdicts and power of the moderated t on fixed cases, over designs, correlations and worlds. */
import { expect, test } from 'vitest'
import { fewestRuns } from '../../src/base/smallest_design.ts'
import { plannedDetectable } from '../../src/phases/4-report/stats/power/power_before_run.ts'
import { equalWorlds, type Plan, type World, worlds } from './generators.ts'
import { type Simulated, simulateDesign } from './simulate_design.ts'
import { printTable, share, twoErrors } from './table.ts'

const suites = 1500
/** A cell outside the limits is drawn again with so many suites and another seed, and these count. */
const suitesAgain = 6000
const leastCoverage = 0.93
const mostFalse = 0.06
const correlations = [0, 0.35, 0.7, 1]
const sizes = [1, 2, 3, 4, 6, 8, 20]
const runCounts = [1, 2, 3, 4, 5, 10]
const effect = 0.2

/** Designs that can be significant; the correlation is of no matter with one expectation. */
const plans: Plan[] = sizes.flatMap((cases) =>
  runCounts
    .filter((runs) => runs >= fewestRuns(cases, 0.05))
    .flatMap((runs) =>
      [1, 2, 4, 8].flatMap((expectations) =>
        (expectations === 1 ? [0] : correlations).map((correlation) => ({ cases, runs, expectations, correlation })),
      ),
    ),
)

const isCovered = ({ coverage, suites: drawn }: Simulated) =>
  coverage >= leastCoverage - twoErrors(leastCoverage, drawn)
const isQuiet = ({ verdicts, suites: drawn }: Simulated) => verdicts <= mostFalse + twoErrors(mostFalse, drawn)

function simulateCell(world: World, plan: Plan, { seed, isEqual }: { seed: number; isEqual: boolean }) {
  const first = simulateDesign(world, plan, { suites, seed, effect })
  if (isCovered(first) && (!isEqual || isQuiet(first))) return { plan, found: first, again: 0 }
  return { plan, found: simulateDesign(world, plan, { suites: suitesAgain, seed: seed + 1e6, effect }), again: 1 }
}

const designText = ({ cases, runs, expectations, correlation }: Plan) =>
  `${cases} × ${runs} × ${expectations}, correlation ${correlation}`

const extreme = (values: readonly number[]) =>
  `${share(values.reduce((sum, one) => sum + one, 0) / values.length)} (${share(Math.min(...values))} – ${share(Math.max(...values))})`

const everyWorld = [
  ...Object.entries(worlds).map(([name, world]) => ({ name, world, isEqual: false })),
  ...Object.entries(equalWorlds).map(([name, world]) => ({ name, world, isEqual: true })),
]

test.each(everyWorld)(
  '$name: every design covers, and equal configurations differ rarely',
  ({ name, world, isEqual }) => {
    const cells = plans.map((plan, at) => simulateCell(world, plan, { seed: 10_000 + at, isEqual }))
    const rows = correlations.map((correlation) => {
      const own = cells.filter(({ plan }) => plan.correlation === correlation).map(({ found }) => found)
      return [
        `correlation ${correlation}`,
        own.length,
        extreme(own.map(({ coverage }) => coverage)),
        isEqual ? extreme(own.map(({ verdicts }) => verdicts)) : '–',
      ]
    })
    const again = cells.reduce((sum, one) => sum + one.again, 0)
    printTable(
      `${name}: mean (lowest – highest) over designs; ${again} of ${cells.length} drawn again`,
      ['', 'designs', 'coverage', 'false verdicts'],
      rows,
    )
    const outside = cells
      .filter(({ found }) => !isCovered(found) || (isEqual && !isQuiet(found)))
      .map(
        ({ plan, found }) =>
          `${designText(plan)}: coverage ${share(found.coverage)}, verdicts ${share(found.verdicts)}`,
      )
    expect(outside).toEqual([])
  },
)

test('power grows with cases and runs', () => {
  const [cases, runs] = [
    [1, 2, 4, 8, 20],
    [1, 3, 5, 10],
  ]
  const rows = Object.entries(worlds).flatMap(([name, world]) =>
    runs.map((each) => {
      const power = cases.map(
        (some) =>
          simulateDesign(
            world,
            { cases: some, runs: each, expectations: 4, correlation: 0.35 },
            { suites, seed: 20_000 + 100 * each + some, effect: 0.3 },
          ).helps,
      )
      if (name === 'smooth' && each === 10) expect(power.at(-1)).toBeGreaterThan(0.95)
      return [`${name}, ${each} ${each === 1 ? 'run' : 'runs'}`, ...power.map(share)]
    }),
  )
  printTable(
    'helps on these cases: 4 expectations, correlation .35, nominal effect .3',
    ['cases', ...cases.map(String)],
    rows,
  )
})

/** Every case differs by the effect, whatever its difficulty. */
const sameEffect: World = (random, difference) => {
  const baseline = random() * (1 - difference)
  return { baseline, candidate: baseline + difference }
}

test('the difference that a plan says it detects with power .8 is found about that often', () => {
  const rows = [
    [1, 6],
    [2, 6],
    [4, 3],
    [4, 10],
    [10, 3],
    [20, 5],
  ].map(([cases = 1, runs = 1]) => {
    const { these_cases: detect } = plannedDetectable({ cases, runs })
    const found = [1, 4].map((expectations) => {
      const plan = { cases, runs, expectations, correlation: expectations === 1 ? 0 : 0.35 }
      return simulateDesign(sameEffect, plan, { suites, seed: 30_000 + 100 * cases + runs, effect: detect }).helps
    })
    for (const power of found) expect(power).toBeGreaterThan(0.7)
    return [`${cases} × ${runs}`, share(detect), ...found.map(share)]
  })
  printTable(
    'helps where every case differs by the detectable difference, cases of any difficulty',
    ['cases × runs', 'detectable difference', 'pass or fail', '4 expectations, correlation .35'],
    rows,
  )
})
