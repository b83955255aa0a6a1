/** Notes that claim a difference, over simulated benchmarks: rare between two identical configurations, there if the skill helps or hurts. */
import { expect, test } from 'vitest'
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { Configuration } from '../../../../schemas/plan.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { createSeededRandom, type Random } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { inputOf, type Line } from '../fixture.ts'

interface World {
  /** The chance of each expectation to pass. */
  pass: number
  /** What time, tokens and cost of a run scale with. */
  size: number
}

const expectations = 4

function simulate(
  random: Random,
  candidate: World,
  baseline: World,
  { cases, runs }: { cases: number; runs: number },
): Benchmark {
  const upTo = (most: number) => Array.from({ length: most }, (_, at) => at + 1)
  const spread = () => Math.exp(0.3 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))
  const linesOf = (arm: Configuration, { pass, size }: World) =>
    upTo(cases).flatMap((evalId) =>
      upTo(runs).map(
        (run): Line => ({
          evalId,
          arm,
          run,
          verdicts: Array.from({ length: expectations }, () => (random() < pass ? '+' : '-')).join(''),
          seconds: 20 * size * spread(),
          tokens: Math.round(2000 * size * spread()),
          record: { cost: { usd: 0.01 * size * spread(), source: 'agent' } },
        }),
      ),
    )
  return aggregate(inputOf([...linesOf('with_skill', candidate), ...linesOf('without_skill', baseline)]))
}

const claim = /significant|runs take/i
const simulated = (candidate: World, baseline: World, count: number) => {
  const random = createSeededRandom(1)
  return Array.from({ length: count }, () => simulate(random, candidate, baseline, { cases: 6, runs: 6 }))
}
const shareOf = (all: readonly Benchmark[], pattern: RegExp) =>
  all.filter(({ notes }) => notes.some((note) => pattern.test(note))).length / all.length

test.each([
  [6, 5, 100],
  [3, 20, 150],
])(
  'two identical configurations, %i cases × %i runs: beside the verdict the reports claim anything in at most one of twenty',
  (cases, runs, count) => {
    const same = { pass: 0.5, size: 1 }
    const random = createSeededRandom(1)
    const all = Array.from({ length: count }, () => simulate(random, same, same, { cases, runs }))
    expect(Math.max(...all.map(({ notes }) => notes.length))).toBeLessThanOrEqual(6)
    const most = count * (0.05 + 2 * Math.sqrt(0.0475 / count))
    const isShown = (verdict = '') => /^(helps|hurts)$/.test(verdict)
    const ofVerdict = all.filter(({ statistics }) => isShown(statistics?.scopes?.these_cases.verdict))
    expect(ofVerdict.length).toBeLessThan(most)
    const further = all.filter((one) => {
      const { price, scopes } = one.statistics ?? {}
      const isFurther = isShown(scopes?.cases_like_these.verdict) || price?.verdict !== 'inconclusive'
      return (isFurther && !ofVerdict.includes(one)) || one.notes.some((note) => claim.test(note))
    })
    expect(further.length).toBeLessThan(most)
  },
)

test('control: a true difference is claimed, each kind by its own note', () => {
  const [high, low] = [
    { pass: 0.95, size: 1.6 },
    { pass: 0.05, size: 1 },
  ]
  const [better, worse] = [simulated(high, low, 20), simulated(low, high, 20)]
  expect(shareOf(better, /^Expectations and checks with a significant difference/)).toBeGreaterThan(0.8)
  expect(shareOf(better, /runs take .* the time .* the tokens .* the cost/)).toBeGreaterThan(0.8)
  expect(shareOf(worse, /^Significantly worse with the skill/)).toBeGreaterThan(0.8)
  expect(shareOf(better, /^Significantly worse/)).toBe(0)
})
