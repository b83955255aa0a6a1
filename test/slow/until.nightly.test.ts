/** bench --until decided, by the function that its flow and its report call: what it decides wrongly, what it finds, and what it saves. */
import { expect, test } from 'vitest'
import { createSeededRandom, type Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { plannedDetectable } from '../../src/phases/4-report/stats/power/power_before_run.ts'
import { untilDecided } from '../../src/phases/4-report/stats/power/stopping_rule.ts'
import { casesLikeThese } from '../../src/phases/4-report/stats/scopes/similar_cases.ts'
import { theseCases } from '../../src/phases/4-report/stats/scopes/these_cases.ts'
import type { CaseScores } from '../../src/phases/4-report/stats/scores/case_scores.ts'
import { usualOptions } from '../../src/phases/4-report/stats/statistics_options.ts'
import { drawTruths, effectFor, meanEffect, meanOfTruths, runSuite, type Truth, worlds } from './generators.ts'
import { printTable, share, twoErrors } from './table.ts'

const trials = Number(process.env.WHETSTONE_TRIALS ?? 1000) // fewer in CI, for its time
const names = Object.keys(worlds) as (keyof typeof worlds)[]

/** With the fixed-size test, which is slower. */
const fewer = 400

interface End {
  stopped: string | null
  /** What the fixed-size test of all runs says. */
  fixed: string
  /** Whether the interval for these cases has the true difference. */
  holds: boolean
  pairs: number
  these: string
  sample: string
  /** For cases like these. */
  interval: { low: number; high: number } | null
}

interface Plan {
  cases: number
  maxRuns: number
  expectations: number
}

/** One benchmark: what is not released is not seen by the verdicts. */
function bench(
  random: Random,
  truths: readonly Truth[],
  { maxRuns, expectations, isFixedAsked = false }: Plan & { isFixedAsked?: boolean },
): End {
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
  const [these, sample] = [theseCases(seen, options), casesLikeThese(seen, options)]
  const truth = meanOfTruths(truths)
  const holds = (these.difference.ci_low ?? -1) - 1e-6 <= truth && truth <= (these.difference.ci_high ?? 1) + 1e-6
  const fixed = isFixedAsked ? theseCases(all, usualOptions).verdict : ''
  const { ci_low: low, ci_high: high } = sample.difference
  const interval = low === null || high === null ? null : { low, high }
  const ended = { stopped, fixed, holds, pairs: blocks * truths.length }
  return { ...ended, these: these.verdict, sample: sample.verdict, interval }
}

function simulate(plan: Plan, seed: number, truthsOf: (random: Random) => Truth[], times = trials): End[] {
  const random = createSeededRandom(seed)
  return Array.from({ length: times }, () => bench(random, truthsOf(random), plan))
}

const rate = (ends: readonly End[], is: (end: End) => boolean) => ends.filter(is).length / ends.length
const told = (verdict: string) => verdict === 'helps' || verdict === 'hurts'
const meanPairs = (ends: readonly End[]) => ends.reduce((sum, { pairs }) => sum + pairs, 0) / ends.length

const plans: Plan[] = [
  { cases: 1, maxRuns: 40, expectations: 1 },
  { cases: 4, maxRuns: 20, expectations: 1 },
  { cases: 4, maxRuns: 20, expectations: 4 },
  { cases: 10, maxRuns: 10, expectations: 1 },
  { cases: 10, maxRuns: 20, expectations: 4 },
  { cases: 20, maxRuns: 10, expectations: 1 },
]

const describePlan = ({ cases, maxRuns, expectations }: Plan) =>
  `${cases} × ${maxRuns}, ${expectations === 1 ? 'pass or fail' : `${expectations} expectations`}`

/** Every case differs by the same, from any baseline. */
function evenTruths(random: Random, cases: number, effect: number): Truth[] {
  return Array.from({ length: cases }, () => {
    const baseline = (1 - effect) * random()
    return { baseline, candidate: baseline + effect }
  })
}

test('no difference: rejects in at most 5 of 100, costs at most 60 % of the budget, and gives no verdict for cases like these', () => {
  const wrong: string[] = []
  const rows = plans.flatMap((plan, at) =>
    (['even', ...names] as const).map((name, index) => {
      const ends = simulate(plan, 6000 + 10 * index + at, (random) => {
        const truths =
          name === 'even'
            ? evenTruths(random, plan.cases, 0)
            : drawTruths(random, worlds[name], { cases: plan.cases, effect: 0 })
        return truths.map(({ baseline }) => ({ baseline, candidate: baseline }))
      })
      const [these, sample] = [rate(ends, (end) => told(end.these)), rate(ends, (end) => end.sample !== 'inconclusive')]
      const cost = meanPairs(ends) / (plan.cases * plan.maxRuns)
      if (these > 0.05 + twoErrors(0.05, trials) || sample > 0 || cost > 0.6)
        wrong.push(`${describePlan(plan)}, ${name}: ${share(these)} ${share(sample)} ${share(cost)}`)
      const [none, futile] = [
        rate(ends, (end) => end.these === 'no_difference'),
        rate(ends, (end) => end.stopped === 'futile'),
      ]
      return [describePlan(plan), name, share(these), share(none), share(futile), share(cost)]
    }),
  )
  printTable('Until decided, no difference', ['', 'world', 'helps or hurts', 'no difference', 'futility', 'cost'], rows)
  expect(wrong).toEqual([])
})

test('power within .1 of the fixed-size test of all runs, at .15 and .3', () => {
  const wrong: string[] = []
  const rows = plans.flatMap((plan, at) =>
    [0.15, 0.3].flatMap((effect) =>
      (['even', 'smooth', 'heteroscedastic'] as const).map((name, index) => {
        const random = createSeededRandom(6200 + 10 * index + at)
        const nominal = name === 'even' ? effect : effectFor(worlds[name], effect)
        const ends = Array.from({ length: fewer }, () => {
          const { cases } = plan
          const truths =
            name === 'even'
              ? evenTruths(random, cases, effect)
              : drawTruths(random, worlds[name], { cases, effect: nominal })
          return bench(random, truths, { ...plan, isFixedAsked: true })
        })
        const [until, fixed] = [rate(ends, (end) => end.these === 'helps'), rate(ends, (end) => end.fixed === 'helps')]
        const cost = meanPairs(ends) / (plan.cases * plan.maxRuns)
        if (until < fixed - 0.1 - twoErrors(0.1, fewer))
          wrong.push(`${describePlan(plan)}, ${name}, ${effect}: ${share(until)} ${share(fixed)}`)
        const held = rate(ends, (end) => end.holds)
        if (held < 0.95 - twoErrors(0.95, fewer)) wrong.push(`${describePlan(plan)}, ${name}: coverage ${share(held)}`)
        return [describePlan(plan), name, effect, share(until), share(fixed), share(cost), share(held)]
      }),
    ),
  )
  printTable('Until decided, power', ['', 'world', 'difference', 'helps', 'fixed size', 'cost', 'coverage'], rows)
  expect(wrong).toEqual([])
})

test('a true difference of the margin is called no difference in at most 5 of 100', () => {
  const rows = plans.map((plan, at) => {
    const ends = simulate(plan, 6300 + at, (random) => evenTruths(random, plan.cases, usualOptions.margin))
    const none = rate(ends, (end) => end.these === 'no_difference')
    expect(none).toBeLessThanOrEqual(0.05 + twoErrors(0.05, trials))
    return [describePlan(plan), share(none)]
  })
  printTable('Until decided, a difference of the margin', ['', 'no difference'], rows)
})

test('true differences that even out: no verdict for cases like these', () => {
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
  expect(rate(ends, (end) => end.sample !== 'inconclusive')).toBe(0)
})

test('the interval for cases like these beside the looks: holds in .93 of the suites that get it, or more', () => {
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
          if (offered.length >= 50 && found < 0.93 - error) outside.push(`${design}: ${share(found)}`)
          return [design, share(found), `${Math.round((100 * offered.length) / ends.length)} %`]
        })
    }),
  )
  printTable('Until decided, interval for cases like these', ['', 'coverage', 'offered'], rows)
  expect(outside).toEqual([])
})

test('the control: the test of fixed size at the same looks decides wrongly too often', () => {
  const random = createSeededRandom(6500)
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

test('ten cases of at most 10 runs: at .3 at least 40 % fewer pairs than a fixed budget', () => {
  const plan = { cases: 10, maxRuns: 10, expectations: 1 }
  const rows = [0, 0.1, 0.2, 0.3, 0.45, 0.6].map((effect, at) => {
    const ends = simulate(plan, 7000 + at, (random) => evenTruths(random, plan.cases, effect))
    if (effect === 0.3) expect(meanPairs(ends)).toBeLessThanOrEqual(60)
    return [effect, share(rate(ends, (end) => end.these === 'helps')), meanPairs(ends).toFixed(0)]
  })
  printTable('Until decided, at most 100 pairs', ['true difference', 'helps', 'pairs, mean'], rows)
})

test('what is said before to be found with power .8 is found at least that often, and not much more', () => {
  const rows = [
    { cases: 4, maxRuns: 20, expectations: 1 },
    { cases: 10, maxRuns: 10, expectations: 1 },
    { cases: 10, maxRuns: 20, expectations: 1 },
  ].map((plan, at) => {
    const spread = { between: 1 / 9, candidate: 0.24, baseline: 0.24 }
    const { these_cases: effect } = plannedDetectable({ cases: plan.cases, runs: plan.maxRuns, until: true, spread })
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
