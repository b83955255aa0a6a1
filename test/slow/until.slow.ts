/** bench --until decided, by the function that its flow and its report call: what it decides wrongly, and what it saves. */
import { expect, test } from 'vitest'
import { detectableBefore } from '../../src/phases/4-report/stats/before.ts'
import type { CaseScores } from '../../src/phases/4-report/stats/case_scores.ts'
import { casesLikeThese } from '../../src/phases/4-report/stats/like_these.ts'
import { usualOptions } from '../../src/phases/4-report/stats/options.ts'
import { type Random, seeded } from '../../src/phases/4-report/stats/random.ts'
import { theseCases } from '../../src/phases/4-report/stats/these_cases.ts'
import { untilDecided } from '../../src/phases/4-report/stats/until.ts'
import { drawTruths, meanEffect, runSuite, type Truth, worlds } from './generators.ts'
import { printTable, share, twoErrors } from './table.ts'

const trials = 1000
const names = Object.keys(worlds) as (keyof typeof worlds)[]

interface End {
  stopped: string | null
  pairs: number
  these: string
  sample: string
  /** For cases like these. */
  interval: { low: number; high: number } | null
  /** What the verdict for cases like these would be, were the number of runs fixed. */
  unguarded: string
}

interface Plan {
  cases: number
  maxRuns: number
  expectations: number
}

/** One benchmark: what is not released is not seen by the verdicts. */
function bench(random: Random, truths: readonly Truth[], { maxRuns, expectations }: Plan): End {
  const all = runSuite(random, truths, { cases: truths.length, runs: maxRuns, expectations }).map((one) => ({
    ...one.scores,
    expectations,
  }))
  const sequential = { maxRuns, cases: truths.length, finished: maxRuns }
  const { blocks, stopped } = untilDecided(all, sequential, usualOptions)
  const seen: CaseScores[] = all.map(({ candidate, baseline }) => ({
    candidate: candidate.slice(0, blocks),
    baseline: baseline.slice(0, blocks),
    expectations,
  }))
  const options = { ...usualOptions, sequential }
  const [these, sample] = [theseCases(seen, options).verdict, casesLikeThese(seen, options)]
  const { ci_low: low, ci_high: high } = sample.difference
  const interval = low === null || high === null ? null : { low, high }
  const unguarded = casesLikeThese(seen, usualOptions).verdict
  return { stopped, pairs: blocks * truths.length, these, sample: sample.verdict, interval, unguarded }
}

function simulate(plan: Plan, seed: number, truthsOf: (random: Random) => Truth[], times = trials): End[] {
  const random = seeded(seed)
  return Array.from({ length: times }, () => bench(random, truthsOf(random), plan))
}

const rate = (ends: readonly End[], is: (end: End) => boolean) => ends.filter(is).length / ends.length
const told = (verdict: string) => verdict === 'helps' || verdict === 'hurts'
const meanPairs = (ends: readonly End[]) => ends.reduce((sum, { pairs }) => sum + pairs, 0) / ends.length

const plans: Plan[] = [
  { cases: 1, maxRuns: 40, expectations: 1 },
  { cases: 4, maxRuns: 20, expectations: 1 },
  { cases: 4, maxRuns: 20, expectations: 4 },
  { cases: 10, maxRuns: 20, expectations: 4 },
  { cases: 20, maxRuns: 10, expectations: 1 },
]

test('both arms equal on every case: helps or hurts in at most 5 of 100 for these cases, and no verdict for cases like these', () => {
  const wrong: string[] = []
  const rows = names.flatMap((name, index) =>
    plans.map((plan, at) => {
      const ends = simulate(plan, 6000 + 10 * index + at, (random) =>
        drawTruths(random, worlds[name], { cases: plan.cases, effect: 0 }).map(({ baseline }) => ({
          baseline,
          candidate: baseline,
        })),
      )
      const [these, sample] = [rate(ends, (end) => told(end.these)), rate(ends, (end) => end.sample !== 'inconclusive')]
      const design = `${name}, ${plan.cases} cases, at most ${plan.maxRuns} runs, ${plan.expectations} expectations`
      if (these > 0.05 + twoErrors(0.05, trials) || sample > 0)
        wrong.push(`${design}: ${share(these)} ${share(sample)}`)
      const none = rate(ends, (end) => end.these === 'no_difference')
      const unguarded = rate(ends, (end) => told(end.unguarded))
      const pairs = meanPairs(ends).toFixed(0)
      return [design, share(these), share(unguarded), share(none), pairs, plan.cases * plan.maxRuns]
    }),
  )
  printTable(
    'Until decided, both arms equal on every case',
    ['', 'these: helps or hurts', 'like these, were it asked', 'these: no difference', 'pairs, mean', 'at most'],
    rows,
  )
  expect(wrong).toEqual([])
})

test('true differences that even out: no verdict for cases like these; a test of fixed size would err in more than 5 of 100', () => {
  const plan = { cases: 10, maxRuns: 20, expectations: 4 }
  const ends = simulate(
    plan,
    6400,
    (random) =>
      Array.from({ length: plan.cases }, () => {
        const [one, other] = [0.2 + 0.6 * random(), 0.2 + 0.6 * random()]
        return { baseline: one, candidate: other }
      }),
    4 * trials,
  )
  const unguarded = rate(ends, (end) => told(end.unguarded))
  console.log(
    `\nWithout the guard: ${share(unguarded)} for cases like these, ${share(rate(ends, (end) => told(end.these)))} these cases\n`,
  )
  expect(rate(ends, (end) => end.sample !== 'inconclusive')).toBe(0)
  expect(unguarded).toBeGreaterThan(0.05)
})

test('the interval for cases like these beside the looks: holds in .93 to .98 of the suites that get it', () => {
  const outside: string[] = []
  const rows = names.flatMap((name, index) =>
    [0.3].flatMap((effect) => {
      const truth = meanEffect(worlds[name], effect)
      return plans
        .filter(({ cases }) => cases >= 5)
        .map((plan, at) => {
          const ends = simulate(plan, 6600 + 10 * index + at, (random) =>
            drawTruths(random, worlds[name], { cases: plan.cases, effect }),
          )
          const offered = ends.flatMap(({ interval }) => interval ?? [])
          const covered = offered.filter(({ low, high }) => low - 1e-9 <= truth && truth <= high + 1e-9).length
          const found = covered / offered.length
          const error = twoErrors(found, offered.length)
          const design = `${name}, ${plan.cases} cases, at most ${plan.maxRuns} runs, mean effect ${truth.toFixed(3)}`
          if (offered.length >= 50 && (found < 0.93 - error || found > 0.98 + error))
            outside.push(`${design}: ${share(found)}`)
          return [design, share(found), `${Math.round((100 * offered.length) / ends.length)} %`]
        })
    }),
  )
  printTable('Until decided, interval for cases like these', ['', 'coverage', 'offered'], rows)
  expect(outside).toEqual([])
})

test('the control: the test of fixed size at the same looks decides wrongly too often', () => {
  const random = seeded(6500)
  const [cases, maxRuns] = [10, 20]
  let wrong = 0
  for (let trial = 0; trial < trials; trial += 1) {
    const truths = drawTruths(random, worlds.smooth, { cases, effect: 0 })
    const equal = truths.map(({ baseline }) => ({ baseline, candidate: baseline }))
    const all = runSuite(random, equal, { cases, runs: maxRuns, expectations: 1 }).map((one) => one.scores)
    const upTo = (blocks: number) =>
      all.map(({ candidate, baseline }) => ({
        candidate: candidate.slice(0, blocks),
        baseline: baseline.slice(0, blocks),
      }))
    const looks = Array.from({ length: maxRuns - 1 }, (_, at) => at + 2)
    if (looks.some((blocks) => told(theseCases(upTo(blocks), usualOptions).verdict))) wrong += 1
  }
  console.log(`\nA test of fixed size at each look: ${share(wrong / trials)} decided wrongly\n`)
  expect(wrong / trials).toBeGreaterThan(0.1)
})

test('at .3 in blocks of 10 at least 40 % fewer pairs than a fixed budget of 100', () => {
  const plan = { cases: 10, maxRuns: 10, expectations: 1 }
  const ends = simulate(plan, 7000, (random) =>
    Array.from({ length: 10 }, () => {
      const baseline = 0.7 * random()
      return { baseline, candidate: baseline + 0.3 }
    }),
  )
  const saved = 1 - meanPairs(ends) / 100
  console.log(
    `\nAt .3: ${meanPairs(ends).toFixed(1)} pairs, ${share(rate(ends, (end) => end.these === 'helps'))} decided rightly\n`,
  )
  expect(saved).toBeGreaterThanOrEqual(0.4)
})

test('what is said before to be found with power .8 is found at least that often, and not much more', () => {
  const rows = [
    { cases: 4, maxRuns: 20, expectations: 1 },
    { cases: 10, maxRuns: 10, expectations: 1 },
    { cases: 10, maxRuns: 20, expectations: 1 },
  ].map((plan, at) => {
    const spread = { between: 1 / 9, candidate: 0.24, baseline: 0.24 }
    const { these_cases: effect } = detectableBefore({ cases: plan.cases, runs: plan.maxRuns, until: true, spread })
    // cases around the middle: the variance of a run is near .24
    const baseline = (1 - effect) / 2
    const ends = simulate(plan, 7100 + at, () =>
      Array.from({ length: plan.cases }, () => ({ baseline, candidate: baseline + effect })),
    )
    const power = rate(ends, (end) => end.these === 'helps')
    // the last looks are counted, the earlier ones add to them
    expect(power).toBeGreaterThan(0.78)
    expect(power).toBeLessThan(0.92)
    return [`${plan.cases} cases, at most ${plan.maxRuns} runs`, effect.toFixed(2), share(power)]
  })
  printTable('Said to be found with power .8', ['', 'difference', 'found'], rows)
})
