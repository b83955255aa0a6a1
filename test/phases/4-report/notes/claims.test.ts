/** Notes that claim a difference, over 100 simulated benchmarks: rare between two identical configurations, there if the skill helps or hurts. */
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

const evalIds = [1, 2, 3, 4, 5, 6]
const runNumbers = [1, 2, 3, 4, 5]
const expectations = 4

/** 6 cases × 5 runs × 4 expectations. */
function simulate(random: Random, candidate: World, baseline: World): Benchmark {
  const spread = () => Math.exp(0.3 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()))
  const linesOf = (arm: Configuration, { pass, size }: World) =>
    evalIds.flatMap((evalId) =>
      runNumbers.map(
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
  return Array.from({ length: count }, () => simulate(random, candidate, baseline))
}
const shareOf = (all: readonly Benchmark[], pattern: RegExp) =>
  all.filter(({ notes }) => notes.some((note) => pattern.test(note))).length / all.length

test('between two identical configurations at most 5% of the benchmarks have a note that claims a difference', () => {
  const same = { pass: 0.5, size: 1 }
  const all = simulated(same, same, 100)
  expect(Math.max(...all.map(({ notes }) => notes.length))).toBeLessThanOrEqual(6)
  expect(shareOf(all, claim)).toBeLessThanOrEqual(0.05)
})

test('control: a true difference is claimed, each kind by its own note', () => {
  const [high, low] = [
    { pass: 0.9, size: 1.6 },
    { pass: 0.1, size: 1 },
  ]
  const [better, worse] = [simulated(high, low, 20), simulated(low, high, 20)]
  expect(shareOf(better, /^Expectations and checks with a significant difference/)).toBeGreaterThan(0.8)
  expect(shareOf(better, /runs take .* the time .* the tokens .* the cost/)).toBeGreaterThan(0.8)
  expect(shareOf(worse, /^Significantly worse with the skill/)).toBeGreaterThan(0.8)
  expect(shareOf(better, /^Significantly worse/)).toBe(0)
})
