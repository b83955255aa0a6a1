/** prune, by the functions that its flow calls: what it drops wrongly, what it drops, and what that costs in runs. */
import { expect, test, vi } from 'vitest'
import { sizeDiet } from '../../../src/features/prune/prune.ts'
import { certifyDiet } from '../../../src/features/prune/stats/certify_diet.ts'
import {
  decideUnit,
  isDropped,
  leaveOneOutRuns,
  nonInferiorityRuns,
  screeningRuns,
} from '../../../src/features/prune/stats/screening_power.ts'
import { estimateUnitEffects } from '../../../src/features/prune/stats/unit_effects.ts'
import { countRows, drawMasks } from '../../../src/features/prune/units/draw_masks.ts'
import type { PairedCase } from '../../../src/phases/4-report/acceptance/compare_held_out.ts'
import { createSeededRandom, type Random } from '../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { sampleMean } from '../../../src/phases/4-report/stats/numbers/moments.ts'
import { normal } from '../../slow/generators.ts'
import { printTable, share, twoErrors } from '../../slow/table.ts'

const trials = Number(process.env.WHETSTONE_TRIALS ?? 2000) // fewer in CI, for its time
vi.setConfig({ testTimeout: 1_800_000 })
const [worthy, harmful, units] = [3, 3, 20]
const margin = 0.05
/** Of a certification, at most. */
const mostRuns = nonInferiorityRuns(margin)
/** Of a run, to print dollars: a small task with a small model. */
const usd = 0.05

/** A planted skill and its suite. Effects in shares of the pass rate. */
interface PlantedSkill {
  /** What a unit adds, one entry a unit. */
  effects: readonly number[]
  /** The pass rate of a case without any unit: drawn from here. */
  base: (random: Random) => number
  /** By how much a unit's effect differs from case to case, as a share of it. */
  spread: number
  /** Checks of a run that are decided together with this correlation; 1: pass or fail. */
  checks: number
  /** Tokens of a run without any unit, the share by which they vary, and what a unit adds. */
  tokens: { base: number; deviation: number; each: number }
  /** Two units of which one is enough: what either adds. Absent: none. */
  either?: { units: readonly [number, number]; amount: number }
}

interface SessionEnd {
  /** Whether the shorter skill replaced the whole one. */
  shorter: boolean
  /** By unit, whether the final skill has it. */
  kept: boolean[]
  /** Units whose effect is shown (95% CI above 0). */
  shown: boolean[]
  /** Units whose 95% CI has the true effect on the training cases, where it is the same beside any other units. */
  covered: boolean[]
  runs: number
  /** True difference of the skill that was certified on the held-out cases. */
  truth: number
}

interface PlantedCase {
  base: number
  effects: readonly number[]
  either?: PlantedSkill['either']
}

function drawCases(random: Random, { effects, base, spread, either }: PlantedSkill, count: number): PlantedCase[] {
  return Array.from({ length: count }, () => ({
    base: base(random),
    ...(either && { either }),
    // the mean over the cases stays near the planted effect
    effects: effects.map((one) => one * (1 + spread * (2 * random() - 1))),
  }))
}

function passRate({ base, effects, either }: PlantedCase, has: readonly boolean[]): number {
  const more = either?.units.some((unit) => has[unit]) ? either.amount : 0
  const sum = effects.reduce((all, one, unit) => all + (has[unit] ? one : 0), base + more)
  return Math.min(1, Math.max(0, sum))
}

/** A score: the share of passed checks, of which half are one common draw. */
function drawScore(random: Random, rate: number, checks: number): number {
  if (checks === 1) return random() < rate ? 1 : 0
  const common = random()
  let passed = 0
  for (let at = 0; at < checks; at += 1) passed += (random() < 0.5 ? common : random()) < rate ? 1 : 0
  return passed / checks
}

function drawTokens(random: Random, { tokens }: PlantedSkill, has: readonly boolean[]): number {
  const own = tokens.base + tokens.each * has.filter(Boolean).length
  return own * Math.exp(tokens.deviation * normal(random) - tokens.deviation ** 2 / 2)
}

/** `screening`: runs. */
function simulateSession(
  random: Random,
  skill: PlantedSkill,
  { detect, cases, screening }: Plan & { screening: number },
): SessionEnd {
  const heldOut = 2 * cases
  const [train = [], held = []] = [cases, heldOut].map((count) => drawCases(random, skill, count))
  const ids = train.map((_, at) => at)
  const drawn = drawMasks(units, { cases: ids, pairs: Math.floor(screening / 2), random })
  const runs = drawn.flatMap(({ evalId, halves }) =>
    halves.flatMap((has) => {
      const planted = train[evalId]
      if (planted === undefined) return []
      const value = drawScore(random, passRate(planted, has), skill.checks)
      return [{ evalId, has, value, tokens: drawTokens(random, skill, has) }]
    }),
  )
  const fit = estimateUnitEffects(runs, { units, alpha: 0.05, least: 1 / 4 })
  const cost = estimateUnitEffects(
    runs.map((one) => ({ ...one, value: one.tokens })),
    { units, alpha: 0.05, least: 0 },
  )
  const all = Array.from({ length: units }, () => true)
  if (fit === null || cost === null) throw new Error('too few runs')
  const verdicts = fit.effects.map((one) => decideUnit(one, { units, detect }))
  const proposed = verdicts.map((one) => !isDropped(one))
  const shown = fit.effects.map(({ low }) => low > 0)
  const truths = skill.effects.map((_, unit) => sampleMean(train.map(({ effects }) => effects[unit] ?? 0)))
  const covered = fit.effects.map(({ low, high }, unit) => low <= (truths[unit] ?? 0) && (truths[unit] ?? 0) <= high)
  if (proposed.every(Boolean)) return { shorter: false, kept: all, shown, covered, runs: runs.length, truth: 0 }
  const size = sizeDiet({ fit, verdicts, cost, margin, most: mostRuns, heldOut })
  const pairs = Math.max(2, Math.ceil(size / 2 / heldOut))
  const made = held.map((one, evalId) => {
    const arm = (has: readonly boolean[]) =>
      Array.from({ length: pairs }, () => drawScore(random, passRate(one, has), skill.checks))
    const tokens = (has: readonly boolean[]) => Array.from({ length: pairs }, () => drawTokens(random, skill, has))
    const scores = { candidate: arm(proposed), baseline: arm(all) }
    return toPairedCase(evalId, scores, { candidate: tokens(proposed), baseline: tokens(all) }, skill.checks)
  })
  const shorter = certifyDiet({ benchmark: '', cases: made, margin }).result === 'kept_shorter'
  const truth = held.reduce((sum, one) => sum + passRate(one, proposed) - passRate(one, all), 0) / heldOut
  const total = runs.length + 2 * pairs * heldOut
  return { shorter, kept: shorter ? proposed : all, shown, covered, runs: total, truth }
}

type OfBoth = { candidate: number[]; baseline: number[] }

function toPairedCase(evalId: number, scores: OfBoth, tokens: OfBoth, expectations: number): PairedCase {
  const { candidate, baseline } = scores
  const none = { candidate: candidate.map(() => null), baseline: baseline.map(() => null) }
  const isWhole = (score: number) => score === 1
  const passed = { candidate: candidate.map(isWhole), baseline: baseline.map(isWhole) }
  return { evalId, candidate, baseline, expectations, passed, seconds: none, usd: none, tokens }
}

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
}

function simulate(skill: PlantedSkill, plan: Plan, seed: number, times = trials): SessionEnd[] {
  const random = createSeededRandom(seed)
  const session = { ...plan, screening: plannedRuns(plan.detect) }
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

test('two units of which one is enough are not both dropped, and leave-one-out needs more runs than 1 ÷ 0.6 as many', () => {
  expect(plannedRuns(0.2)).toBeLessThanOrEqual(0.6 * leaveOneOutRuns(units, 0.2))
  const twins = { ...plant(0), either: { units: [0, 1] as const, amount: 0.4 } }
  const ends = simulate(twins, { detect: 0.2, cases: 12 }, 9)
  expect(rate(ends, ({ kept }) => !kept[0] && !kept[1])).toBeLessThanOrEqual(0.05)
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
  const decide = (random: Random, loss: number, ratio: number, [cases, pairs, top]: [number, number, number]) => {
    const made = Array.from({ length: cases }, (_, evalId) => {
      const rateOfAll = loss + (top - loss) * random()
      const arm = (rateOfRun: number) => Array.from({ length: pairs }, () => (random() < rateOfRun ? 1 : 0))
      const tokens = (mean: number) => Array.from({ length: pairs }, () => mean * Math.exp(0.3 * normal(random)))
      const scores = { candidate: arm(rateOfAll - loss), baseline: arm(rateOfAll) }
      return toPairedCase(evalId, scores, { candidate: tokens(20_000 * ratio), baseline: tokens(20_000) }, 1)
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
