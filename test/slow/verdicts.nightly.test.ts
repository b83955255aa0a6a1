/** Size and power of the verdicts: how often each is given, and how often wrongly. */
import { expect, test } from 'vitest'
import type { Verdict } from '../../schemas/benchmark_statistics.ts'
import { alphaOfLook } from '../../src/phases/4-report/benchmark/provenance.ts'
import { createSeededRandom } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { casesLikeThese } from '../../src/phases/4-report/stats/scopes/similar_cases.ts'
import { theseCases } from '../../src/phases/4-report/stats/scopes/these_cases.ts'
import { usualOptions } from '../../src/phases/4-report/stats/statistics_options.ts'
import { moderatedT } from '../../src/phases/4-report/stats/tests/moderated_t.ts'
import { drawTruths, effectFor, meanOfTruths, type Plan, runSuite, type Truth, worlds } from './generators.ts'
import { printTable, share, twoErrors } from './table.ts'

type World = keyof typeof worlds
const names = Object.keys(worlds) as World[]
const trials = Number(process.env.WHETSTONE_TRIALS ?? 1000) // fewer in CI, for its time

interface Seen {
  these: Verdict
  sample: Verdict
  /** The mean of the true differences of the suite. */
  truth: number
}

function simulate(plan: Plan, seed: number, truthsOf: (random: () => number) => Truth[], times = trials): Seen[] {
  const random = createSeededRandom(seed)
  return Array.from({ length: times }, () => {
    const truths = truthsOf(random)
    const scores = runSuite(random, truths, plan).map((one) => ({ ...one.scores, expectations: plan.expectations }))
    const [these, sample] = [theseCases(scores, usualOptions), casesLikeThese(scores, usualOptions)]
    return { these: these.verdict, sample: sample.verdict, truth: meanOfTruths(truths) }
  })
}

const rate = <T>(seen: readonly T[], is: (one: T) => boolean) => seen.filter(is).length / seen.length
const designOf = ({ cases, runs, expectations }: Plan) =>
  `${cases} cases × ${runs} runs${expectations === 1 ? '' : `, ${expectations} expectations`}`

test('4 cases × 10 runs see .25 with power about .7, .4 with about .94', () => {
  const plan = { cases: 4, runs: 10, expectations: 1 }
  const effects = [0.1, 0.2, 0.25, 0.3, 0.4]
  const power = effects.map((mean, at) => {
    const effect = effectFor(worlds.smooth, mean)
    const seen = simulate(plan, 50 + at, (random) => drawTruths(random, worlds.smooth, { cases: 4, effect }), 2000)
    return rate(seen, (one) => one.these === 'helps')
  })
  printTable(
    'Power on these cases, 4 cases × 10 runs, pass or fail, smooth',
    ['mean effect', ...effects.map(String)],
    [['helps', ...power.map(share)]],
  )
  expect(Math.abs((power[2] ?? 0) - 0.7)).toBeLessThan(0.08)
  expect(power[4]).toBeGreaterThan(0.92)
})

const plans: Plan[] = [
  { cases: 4, runs: 10, expectations: 1 },
  { cases: 10, runs: 3, expectations: 1 },
  { cases: 20, runs: 3, expectations: 4 },
  { cases: 50, runs: 3, expectations: 4 },
  { cases: 20, runs: 10, expectations: 4 },
]

test('both arms equal on every case: helps or hurts in at most 5 of 100', () => {
  const wrong: string[] = []
  const rows = names.flatMap((name, index) =>
    plans.map((plan, at) => {
      const equal = (random: () => number) =>
        drawTruths(random, worlds[name], { cases: plan.cases, effect: 0 }).map(({ baseline }) => ({
          baseline,
          candidate: baseline,
        }))
      const seen = simulate(plan, 1000 + 10 * index + at, equal)
      const told = (verdict: Verdict) => verdict === 'helps' || verdict === 'hurts'
      const [these, sample] = [rate(seen, (one) => told(one.these)), rate(seen, (one) => told(one.sample))]
      for (const [scope, found] of [
        ['these', these],
        ['sample', sample],
      ] as const) {
        if (found > 0.05 + twoErrors(0.05, trials)) wrong.push(`${name}, ${designOf(plan)}, ${scope}: ${share(found)}`)
      }
      const none = [
        rate(seen, (one) => one.these === 'no_difference'),
        rate(seen, (one) => one.sample === 'no_difference'),
      ]
      return [`${name}, ${designOf(plan)}`, share(these), share(sample), ...none.map(share)]
    }),
  )
  printTable(
    'Both arms equal on every case',
    ['', 'these: helps or hurts', 'like these: helps or hurts', 'these: no difference', 'like these: no difference'],
    rows,
  )
  expect(wrong).toEqual([])
})

test('a true difference of the margin: no_difference in at most 5 of 100', () => {
  const wrong: string[] = []
  const rows = names.flatMap((name, index) => {
    const effect = effectFor(worlds[name], usualOptions.margin)
    return plans.map((plan, at) => {
      const seen = simulate(plan, 2000 + 10 * index + at, (random) =>
        drawTruths(random, worlds[name], { cases: plan.cases, effect }),
      )
      const beyond = seen.filter(({ truth }) => Math.abs(truth) >= usualOptions.margin)
      const these = rate(beyond, (one) => one.these === 'no_difference')
      const sample = rate(seen, (one) => one.sample === 'no_difference')
      for (const [scope, found, of] of [
        ['these', these, beyond.length],
        ['sample', sample, trials],
      ] as const) {
        if (found > 0.05 + twoErrors(0.05, of)) wrong.push(`${name}, ${designOf(plan)}, ${scope}: ${share(found)}`)
      }
      return [`${name}, ${designOf(plan)}`, share(these), share(sample)]
    })
  })
  printTable('False no_difference, true mean at the margin of 10 points', ['', 'these cases', 'cases like these'], rows)
  expect(wrong).toEqual([])
})

test('power for cases like these grows with their number', () => {
  const sizes = [6, 10, 20, 50]
  const rows = names.flatMap((name, index) =>
    [0.15, 0.3].map((effect) => {
      const power = sizes.map((cases, at) => {
        const plan = { cases, runs: 3, expectations: 4 }
        const seen = simulate(
          plan,
          3000 + 10 * index + at,
          (random) => drawTruths(random, worlds[name], { cases, effect }),
          500,
        )
        return rate(seen, (one) => one.sample === 'helps')
      })
      if (name === 'smooth') expect(power.at(-1)).toBeGreaterThan(0.9)
      return [`${name}, nominal effect ${effect}`, ...power.map(share)]
    }),
  )
  printTable('helps for cases like these, 3 runs, 4 expectations', ['cases', ...sizes.map(String)], rows)
})

test('a second look at twice the runs: with the first one it is wrong in at most 5% within two standard errors', () => {
  const rows = [
    { cases: 8, runs: 3, expectations: 4 },
    { cases: 12, runs: 2, expectations: 1 },
    { cases: 20, runs: 3, expectations: 4 },
  ].map(({ cases, runs, expectations }, index) => {
    const random = createSeededRandom(7700 + index)
    const found = Array.from({ length: trials }, () => {
      const truths = Array.from({ length: cases }, () => 0.2 + 0.6 * random())
      const draw = (rate: number, count: number) =>
        Array.from({ length: count }, () => {
          const met = Array.from({ length: expectations }, () => (random() < rate ? 1 : 0))
          return met.reduce<number>((sum, one) => sum + one, 0) / expectations
        })
      const all = truths.map((rate) => ({
        candidate: draw(rate, 2 * runs),
        baseline: draw(rate, 2 * runs),
        expectations,
      }))
      const first = all.map((one) => ({
        ...one,
        candidate: one.candidate.slice(0, runs),
        baseline: one.baseline.slice(0, runs),
      }))
      const isShown = (scores: typeof all, look: number) =>
        (moderatedT(scores, { alpha: alphaOfLook(look) })?.pValue ?? 1) <= alphaOfLook(look)
      return { own: isShown(first, 1) || isShown(all, 2), control: isShown(first, 1) || isShown(all, 1) }
    })
    const [own, control] = [rate(found, (one) => one.own), rate(found, (one) => one.control)]
    expect(own).toBeLessThan(0.05 + twoErrors(0.05, trials))
    expect(control).toBeGreaterThan(own)
    return [designOf({ cases, runs, expectations }), share(own), share(control)]
  })
  printTable('Two looks, nothing differs', ['first look', 'wrong in either', 'both at 5%'], rows)
})
