/** Stopping when decided: error rate with a look after every block, pairs saved against a fixed budget, and what it costs. */
import { expect, test } from 'vitest'
import { signTest } from '../../src/phases/4-report/stats/binomial.ts'
import { look } from '../../src/phases/4-report/stats/e_value.ts'
import { type Random, seeded } from '../../src/phases/4-report/stats/random.ts'
import type { Truth } from './generators.ts'
import { printTable, share, twoErrors } from './table.ts'

const alpha = 0.05
const block = 10
const budget = 100
const trials = 4000

/** Ten cases of every difficulty that leaves room for the effect. */
function tenCases(random: Random, effect: number): Truth[] {
  return Array.from({ length: block }, () => {
    const baseline = (1 - effect) * random()
    return { baseline, candidate: baseline + effect }
  })
}

interface End {
  pairs: number
  status: 'decided' | 'open' | 'futile'
  wins: number
  losses: number
}

/** Whole blocks until decided, futile or out of budget. */
function sequence(random: Random, truths: readonly Truth[], most: number): End {
  let [wins, losses, pairs] = [0, 0, 0]
  for (;;) {
    for (const { candidate, baseline } of truths) {
      const [own, other] = [random() < candidate, random() < baseline]
      if (own && !other) wins += 1
      if (other && !own) losses += 1
    }
    pairs += truths.length
    const { status } = look({ wins, losses, remaining: most - pairs, alpha })
    if (status !== 'open' || pairs >= most) return { pairs, status, wins, losses }
  }
}

test('both arms equal on every case, a look after every block: at most 5 of 100 decided', () => {
  const rows = [100, 200, 400].map((most, at) => {
    const random = seeded(4000 + at)
    const ends = Array.from({ length: trials }, () => sequence(random, tenCases(random, 0), most))
    const wrong = ends.filter(({ status }) => status === 'decided').length / trials
    expect(wrong).toBeLessThanOrEqual(0.05)
    return [`up to ${most} pairs`, share(wrong), share(peeking(most, seeded(4000 + at)))]
  })
  printTable('False decisions with a look after every block of 10', ['', 'e-value', 'sign test at each look'], rows)
})

/** The negative control: the fixed-size test, looked at after every block. */
function peeking(most: number, random: Random): number {
  let wrong = 0
  for (let trial = 0; trial < trials; trial += 1) {
    const truths = tenCases(random, 0)
    let [wins, losses] = [0, 0]
    for (let pairs = block; pairs <= most; pairs += block) {
      for (const { candidate, baseline } of truths) {
        const [own, other] = [random() < candidate, random() < baseline]
        if (own && !other) wins += 1
        if (other && !own) losses += 1
      }
      if (signTest(wins, losses, 2) <= alpha) {
        wrong += 1
        break
      }
    }
  }
  return wrong / trials
}

test('the control: looking at a fixed-size test after every block decides wrongly too often', () => {
  expect(peeking(400, seeded(7))).toBeGreaterThan(0.1)
})

/** The power of one exact sign test after so many pairs. */
function fixedPower(pairs: number, effect: number, times: number): number {
  const random = seeded(9000 + pairs)
  let found = 0
  for (let trial = 0; trial < times; trial += 1) {
    const end = sequenceOf(random, tenCases(random, effect), pairs)
    if (end.wins > end.losses && signTest(end.wins, end.losses, 2) <= alpha) found += 1
  }
  return found / times
}

function sequenceOf(random: Random, truths: readonly Truth[], pairs: number): { wins: number; losses: number } {
  let [wins, losses] = [0, 0]
  for (let at = 0; at < pairs; at += 1) {
    const truth = truths[at % truths.length]
    const [own, other] = [random() < (truth?.candidate ?? 0), random() < (truth?.baseline ?? 0)]
    if (own && !other) wins += 1
    if (other && !own) losses += 1
  }
  return { wins, losses }
}

test('at .3 in blocks of 10 at least 40 % fewer pairs than a fixed budget of 100', () => {
  const saved = new Map<number, number>()
  const rows = [0, 0.1, 0.2, 0.3, 0.45, 0.6].map((effect, at) => {
    const random = seeded(5000 + at)
    const ends = Array.from({ length: trials }, () => sequence(random, tenCases(random, effect), budget))
    const pairs = ends.map((end) => end.pairs).sort((a, b) => a - b)
    const mean = pairs.reduce((sum, one) => sum + one, 0) / trials
    const power = ends.filter(({ status, wins, losses }) => status === 'decided' && wins > losses).length / trials
    saved.set(effect, 1 - mean / budget)
    const sizes = Array.from({ length: budget / 5 }, (_, index) => 5 * (index + 1))
    const equal = effect === 0 ? null : (sizes.find((size) => fixedPower(size, effect, 1000) >= power - 0.005) ?? null)
    const fixed = effect === 0 ? '–' : share(fixedPower(budget, effect, 1000))
    return [
      effect,
      share(power),
      mean.toFixed(0),
      pairs[trials / 2] ?? 0,
      `${(100 * (saved.get(effect) ?? 0)).toFixed(0)} %`,
      fixed,
      equal === null ? '–' : equal,
    ]
  })
  printTable(
    'Until decided, blocks of 10, at most 100 pairs',
    [
      'true difference',
      'decided rightly',
      'pairs, mean',
      'median',
      'fewer than 100',
      'power of a fixed 100',
      'fixed pairs of equal power',
    ],
    rows,
  )
  expect(saved.get(0.3)).toBeGreaterThanOrEqual(0.4)
  expect(twoErrors(0.5, trials)).toBeLessThan(0.02)
})
