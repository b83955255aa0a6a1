/** The variance components against known ones: their bias, and the coverage of the interval for the component of the cases. */
import { expect, test } from 'vitest'
import { createSeededRandom } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { estimateComponents } from '../../src/phases/4-report/stats/variance/build_variance.ts'
import { type Plan, runSuite, type Truth } from './generators.ts'
import { printTable, share, twoErrors } from './table.ts'

const suites = Number(process.env.WHETSTONE_TRIALS ?? 2000)

/** Differences of the cases: alike, uniform over 60 points, or 0 for half of the cases and 50 points for the others. */
const worlds = {
  alike: { between: 0, effect: () => 0.2 },
  uniform: { between: 0.6 ** 2 / 12, effect: (draw: number) => 0.6 * (draw - 0.5) },
  two: { between: 0.25 ** 2, effect: (draw: number) => (draw < 0.5 ? 0 : 0.5) },
} as const

const plans: Plan[] = [
  { cases: 6, runs: 3, expectations: 4, correlation: 0.35 },
  { cases: 12, runs: 3, expectations: 1 },
  { cases: 30, runs: 3, expectations: 4, correlation: 0.35 },
  { cases: 30, runs: 10, expectations: 1 },
]

interface Row {
  name: string
  bias: number
  error: number
  coverage: number
  runBias: number
}

function simulate(name: keyof typeof worlds, plan: Plan, seed: number): Row {
  const { between, effect } = worlds[name]
  const random = createSeededRandom(seed)
  let [sum, squares, covered, run, trueRun] = [0, 0, 0, 0, 0]
  for (let suite = 0; suite < suites; suite += 1) {
    const truths = Array.from({ length: plan.cases }, (): Truth => {
      const difference = effect(random())
      const baseline = 0.35 + 0.1 * random()
      return { baseline, candidate: baseline + difference }
    })
    const scores = runSuite(random, truths, plan).map((one) => one.scores)
    const found = estimateComponents(scores)
    if (found === null) throw new Error('no estimate')
    sum += found.unbounded
    squares += found.unbounded ** 2
    if (found.low <= between + 1e-12 && between <= found.high) covered += 1
    run += found.run
    trueRun += meanRunVariance(truths, plan)
  }
  const mean = sum / suites
  return {
    name: `${name}, ${plan.cases} cases × ${plan.runs} runs, ${plan.expectations} expectations`,
    bias: mean - between,
    error: Math.sqrt((squares / suites - mean ** 2) / suites),
    coverage: covered / suites,
    runBias: (run - trueRun) / trueRun,
  }
}

/** Of a mean of expectations with this correlation. */
function meanRunVariance(truths: readonly Truth[], { expectations, correlation = 0 }: Plan): number {
  const effect = (1 + (expectations - 1) * correlation) / expectations
  const rates = truths.flatMap(({ candidate, baseline }) => [candidate, baseline])
  return (effect * rates.reduce((sum, rate) => sum + rate * (1 - rate), 0)) / rates.length
}

test('no bias, and a coverage of .93 or more', () => {
  const rows = (Object.keys(worlds) as (keyof typeof worlds)[]).flatMap((name, index) =>
    plans.map((plan, at) => simulate(name, plan, 9000 + 10 * index + at)),
  )
  printTable(
    'Variance between cases: bias of the estimate, coverage of its 95% interval; relative bias of the variance between runs',
    ['', 'bias', 'coverage', 'runs: relative bias'],
    rows.map(({ name, bias, coverage, runBias }) => [name, bias.toFixed(4), share(coverage), runBias.toFixed(3)]),
  )
  for (const { name, bias, error, coverage, runBias } of rows) {
    expect(Math.abs(bias), name).toBeLessThan(4 * error + 0.0005)
    expect(coverage, name).toBeGreaterThan(0.93 - twoErrors(0.93, suites))
    expect(Math.abs(runBias), name).toBeLessThan(0.03)
  }
})
