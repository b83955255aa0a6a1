/** prune, by the functions that its flow calls: what it drops wrongly, what it drops, and what that costs in runs. */
import { expect, test, vi } from 'vitest'
import { certifyDiet } from '../../src/phases/4-report/acceptance/certify_diet.ts'
import { createSeededRandom, type Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import {
  leaveOneOutRuns,
  nonInferiorityRuns,
  screeningRuns,
} from '../../src/phases/4-report/stats/screening/screening_power.ts'
import { countRows } from '../../src/phases/5-improve/units/draw_masks.ts'
import { normal } from './generators.ts'
import { leaveOneOut, type PlantedSkill, type SessionEnd, simulateSession } from './simulate_prune.ts'
import { printTable, share, twoErrors } from './table.ts'

const trials = Number(process.env.WHETSTONE_TRIALS ?? 2000) // fewer in CI, for its time
vi.setConfig({ testTimeout: 1_800_000 })
const [worthy, harmful, units] = [3, 3, 20]
/** Of a run, to print dollars: a small task with a small model. */
const usd = 0.05

function plant(worth: number, more: Partial<PlantedSkill> = {}): PlantedSkill {
  return {
    effects: [
      ...Array.from({ length: worthy }, () => worth),
      ...Array.from({ length: harmful }, () => -0.1),
      ...Array.from({ length: units - worthy - harmful }, () => 0),
    ],
    base: (random) => 0.25 + 0.1 * random(),
    spread: 0,
    checks: 1,
    tokens: { base: 20_000, deviation: 0.3, each: 600 },
    ...more,
  }
}

interface Plan {
  detect: number
  cases: number
  runs?: number
}

function simulate(skill: PlantedSkill, plan: Plan, seed: number, times = trials): SessionEnd[] {
  const random = createSeededRandom(seed)
  const { detect, cases } = plan
  const session = {
    ...{ train: cases, heldOut: 2 * cases, detect, margin: 0.05 },
    screeningRuns: plan.runs ?? plannedRuns(detect),
    certificationRuns: nonInferiorityRuns(0.05),
  }
  return Array.from({ length: times }, () => simulateSession(random, skill, session))
}

function plannedRuns(detect: number): number {
  const step = 2 * countRows(units)
  return step * Math.ceil(screeningRuns(units, detect) / step)
}

const rate = (ends: readonly SessionEnd[], is: (end: SessionEnd) => boolean) => ends.filter(is).length / ends.length
const meanShare = (ends: readonly SessionEnd[], from: number, to: number) =>
  ends.reduce((sum, { kept }) => sum + kept.slice(from, to).filter((one) => !one).length / (to - from), 0) / ends.length
const meanRuns = (ends: readonly SessionEnd[]) => ends.reduce((sum, { runs }) => sum + runs, 0) / ends.length
const coverage = (ends: readonly SessionEnd[]) =>
  ends.reduce((sum, { covered }) => sum + covered.filter(Boolean).length / covered.length, 0) / ends.length
const lacks = ({ kept }: SessionEnd) => !kept.slice(0, worthy).every(Boolean)
const showsAll = ({ shown }: SessionEnd) => shown.slice(0, worthy).every(Boolean)

const worlds: Record<string, PlantedSkill> = {
  'pass or fail': plant(0.2),
  '4 checks a run': plant(0.2, { checks: 4 }),
  'cases of different difficulty': plant(0.2, { base: (random) => 0.15 + 0.3 * random() }),
  'effects differ from case to case': plant(0.2, { spread: 1 }),
}

test('units worth 20 points: dropped in at most 5% of sessions, and 40% of filler or more goes', () => {
  const rows = Object.entries(worlds).flatMap(([name, skill], world) =>
    [4, 12].map((cases, at) => {
      const ends = simulate(skill, { detect: 0.2, cases }, 100 * world + at)
      const [wrong, shown] = [rate(ends, lacks), rate(ends, showsAll)]
      const filler = meanShare(ends, worthy + harmful, units)
      expect(wrong).toBeLessThanOrEqual(0.05 + twoErrors(0.05, trials))
      expect(filler).toBeGreaterThanOrEqual(0.4)
      const runs = meanRuns(ends)
      return [
        ...[name, `${cases} + ${2 * cases}`, share(wrong), share(shown), share(filler)],
        ...[share(meanShare(ends, worthy, worthy + harmful)), share(coverage(ends)), runs.toFixed(0)],
        `$${(usd * runs).toFixed(0)}`,
      ]
    }),
  )
  const head = ['', 'cases', 'worthy dropped', 'all 3 shown', 'filler gone', 'harmful gone', 'coverage', 'runs', 'cost']
  printTable(`prune, 20 units of which 3 are worth 20 points, ${plannedRuns(0.2)} runs to screen`, head, rows)
})

test('leave-one-out at the same error takes more runs than 1 ÷ 0.6 as many, and drops both of two units of which one is enough', () => {
  const runs = plannedRuns(0.2)
  const skill = plant(0.2)
  const twins = { ...plant(0), either: { units: [0, 1] as const, amount: 0.4 } }
  const random = createSeededRandom(7)
  const lose = (planted: PlantedSkill, count: number, is: (dropped: boolean[]) => number) => {
    const times = Math.ceil(trials / 4)
    let sum = 0
    for (let at = 0; at < times; at += 1)
      sum += is(leaveOneOut(random, planted, { train: 12, runs: count, detect: 0.2 }))
    return sum / times
  }
  const filler = (dropped: boolean[]) =>
    dropped.slice(worthy + harmful).filter(Boolean).length / (units - worthy - harmful)
  const both = (dropped: boolean[]) => (dropped[0] && dropped[1] ? 1 : 0)
  const screened = simulate(skill, { detect: 0.2, cases: 12 }, 8)
  const proposed = screened.reduce((sum, one) => sum + filler(one.proposed.map((has) => !has)), 0) / screened.length
  const [equal, many] = [Math.ceil(runs / 0.6), leaveOneOutRuns(units, 0.2)]
  const rows = [
    ['screening', runs, share(proposed)],
    ['leave-one-out', equal, share(lose(skill, equal, filler))],
    ['leave-one-out', many, share(lose(skill, many, filler))],
  ]
  printTable('Filler that the screening alone would drop', ['', 'runs', 'filler'], rows)
  expect(Number(rows[1]?.[2])).toBeLessThan(Number(rows[0]?.[2]))
  expect(runs).toBeLessThanOrEqual(0.6 * many)

  const twinEnds = simulate(twins, { detect: 0.2, cases: 12 }, 9)
  const lost = rate(twinEnds, ({ kept }) => !kept[0] && !kept[1])
  console.log(
    `\nTwo units of which one is enough: screening drops both in ${share(lost)} of sessions, leave-one-out in ${share(lose(twins, many, both))}\n`,
  )
  expect(lost).toBeLessThanOrEqual(0.05)
})

test('nothing to find, and the price of smaller units', () => {
  const none = plant(0, { effects: Array.from({ length: units }, () => 0), base: (random) => 0.5 + 0.4 * random() })
  const planted: [string, PlantedSkill, Plan, number][] = [
    ['all filler, --detect 20', none, { detect: 0.2, cases: 12 }, trials],
    ['3 worth 15, --detect 20', plant(0.15), { detect: 0.2, cases: 12 }, trials],
    ['3 worth 15, --detect 15', plant(0.15), { detect: 0.15, cases: 12 }, trials],
    ['3 worth 5, --detect 20', plant(0.05), { detect: 0.2, cases: 12 }, trials],
    ['3 worth 5, --detect 5', plant(0.05), { detect: 0.05, cases: 12 }, Math.ceil(trials / 20)],
  ]
  const rows = planted.map(([name, skill, plan, times], at) => {
    const ends = simulate(skill, plan, 300 + at, times)
    const isFiller = name.startsWith('all')
    const wrong = rate(ends, lacks)
    // dropped in harm's way: the shorter skill is worse by the margin or more
    const worse = rate(ends, ({ shorter, truth }) => shorter && truth <= -0.05)
    expect(worse).toBeLessThanOrEqual(0.05 + twoErrors(0.05, times))
    if (name.endsWith('15, --detect 15') || name.endsWith('5, --detect 5'))
      expect(wrong).toBeLessThanOrEqual(0.05 + twoErrors(0.05, times))
    const runs = meanRuns(ends)
    return [
      ...[name, plannedRuns(plan.detect), isFiller ? '' : share(wrong), share(worse)],
      ...[share(meanShare(ends, isFiller ? 0 : worthy + harmful, units)), share(coverage(ends))],
      ...[runs.toFixed(0), `$${(usd * runs).toFixed(0)}`],
    ]
  })
  const head = ['', 'to screen', 'worthy dropped', 'worse by margin', 'filler gone', 'coverage', 'runs', 'cost']
  printTable('prune, smaller units', head, rows)
})

test('the decision at its boundaries: a loss of exactly the margin, or the same cost, is kept in at most 5 of 100', () => {
  const margin = 0.05
  const decide = (random: Random, loss: number, ratio: number, [cases, pairs, top]: [number, number, number]) => {
    const made = Array.from({ length: cases }, (_, evalId) => {
      const rateOfAll = loss + (top - loss) * random()
      const draw = (rateOfRun: number) => Array.from({ length: pairs }, () => (random() < rateOfRun ? 1 : 0))
      const tokens = (mean: number) => Array.from({ length: pairs }, () => mean * Math.exp(0.3 * normal(random)))
      const [candidate, baseline] = [draw(rateOfAll - loss), draw(rateOfAll)]
      const none = { candidate: candidate.map(() => null), baseline: baseline.map(() => null) }
      const passed = { candidate: candidate.map((one) => one === 1), baseline: baseline.map((one) => one === 1) }
      return {
        ...{ evalId, candidate, baseline, expectations: 1, passed, seconds: none, usd: none },
        tokens: { candidate: tokens(20_000 * ratio), baseline: tokens(20_000) },
      }
    })
    return certifyDiet({ benchmark: '', cases: made, margin }).result === 'kept_shorter'
  }
  const designs: [number, number, number][] = [
    [4, 10, 1],
    [4, 200, 1],
    [8, 25, 1],
    [24, 10, 0.5],
    [24, 34, 1],
  ]
  const rows = designs.map((design, at) => {
    const random = createSeededRandom(500 + at)
    const often = (loss: number, ratio: number) => {
      let kept = 0
      for (let trial = 0; trial < trials; trial += 1) kept += decide(random, loss, ratio, design) ? 1 : 0
      return kept / trials
    }
    const [worse, dear, good] = [often(margin, 0.5), often(0, 1), often(0, 0.7)]
    expect(Math.max(worse, dear)).toBeLessThanOrEqual(0.05 + twoErrors(0.05, trials))
    return [
      `${design[0]} cases × ${design[1]} pairs`,
      share(worse),
      share(dear),
      share(good),
      2 * design[0] * design[1],
    ]
  })
  const head = ['', 'a loss of the margin', 'the same cost', 'no loss, 30% cheaper', 'runs']
  printTable('prune, the decision', head, rows)
})
