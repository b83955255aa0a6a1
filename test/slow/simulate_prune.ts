/** Whole sessions of `prune` on planted skills: the decisions by the shipped code, the runs by a world in which the truth is known. */
import { certifyDiet } from '../../src/phases/4-report/acceptance/certify_diet.ts'
import type { PairedCase } from '../../src/phases/4-report/acceptance/compared_case.ts'
import { tQuantile } from '../../src/phases/4-report/stats/distributions/quantiles.ts'
import type { Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { sampleMean, sampleVariance } from '../../src/phases/4-report/stats/numbers/moments.ts'
import { decideUnit, isDropped } from '../../src/phases/4-report/stats/screening/choose_drops.ts'
import { sizeDiet } from '../../src/phases/4-report/stats/screening/size_diet.ts'
import { estimateUnitEffects } from '../../src/phases/4-report/stats/screening/unit_effects.ts'
import { drawMasks } from '../../src/phases/5-improve/units/draw_masks.ts'
import { normal } from './generators.ts'

/** A planted skill and its suite. Effects in shares of the pass rate. */
export interface PlantedSkill {
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

interface Session {
  train: number
  heldOut: number
  screeningRuns: number
  /** At most. */
  certificationRuns: number
  detect: number
  margin: number
}

export interface SessionEnd {
  /** Whether the shorter skill replaced the whole one. */
  shorter: boolean
  /** By unit, whether the final skill has it. */
  kept: boolean[]
  /** The same of the skill that was certified. */
  proposed: boolean[]
  /** Units whose effect is shown (95% CI above 0). */
  shown: boolean[]
  /** Units whose 95% CI has the true effect on the training cases, where it is the same beside any other units. */
  covered: boolean[]
  runs: number
  /** True difference of the proposed skill on the held-out cases. */
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

export function simulateSession(random: Random, skill: PlantedSkill, session: Session): SessionEnd {
  const units = skill.effects.length
  const [train, held] = [session.train, session.heldOut].map((count) => drawCases(random, skill, count))
  const ids = (train ?? []).map((_, at) => at)
  const drawn = drawMasks(units, { cases: ids, pairs: Math.floor(session.screeningRuns / 2), random })
  const runs = drawn.flatMap(({ evalId, halves }) =>
    halves.flatMap((has) => {
      const planted = train?.[evalId]
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
  const verdicts = fit.effects.map((one) => decideUnit(one, { units, detect: session.detect }))
  const proposed = verdicts.map((one) => !isDropped(one))
  const shown = fit.effects.map(({ low }) => low > 0)
  const truths = skill.effects.map((_, unit) => sampleMean((train ?? []).map(({ effects }) => effects[unit] ?? 0)))
  const covered = fit.effects.map(({ low, high }, unit) => low <= (truths[unit] ?? 0) && (truths[unit] ?? 0) <= high)
  if (proposed.every(Boolean))
    return { shorter: false, kept: all, proposed, shown, covered, runs: runs.length, truth: 0 }
  const asked = {
    fit,
    verdicts,
    cost,
    margin: session.margin,
    most: session.certificationRuns,
    heldOut: session.heldOut,
  }
  const pairs = Math.max(2, Math.ceil(sizeDiet(asked) / 2 / session.heldOut))
  const cases = (held ?? []).map((one, at) => drawPairs(random, { skill, one, at, pairs, proposed, all }))
  const made = certifyDiet({ benchmark: '', cases, margin: session.margin })
  const shorter = made.result === 'kept_shorter'
  const truth =
    (held ?? []).reduce((sum, one) => sum + passRate(one, proposed) - passRate(one, all), 0) / session.heldOut
  const total = runs.length + 2 * pairs * session.heldOut
  return { shorter, kept: shorter ? proposed : all, proposed, shown, covered, runs: total, truth }
}

/** By unit, whether leave-one-out with so many runs drops it, at the same error: runs of the whole skill and of each skill without one unit. */
export function leaveOneOut(
  random: Random,
  skill: PlantedSkill,
  { train, runs, detect }: { train: number; runs: number; detect: number },
): boolean[] {
  const units = skill.effects.length
  const cases = drawCases(random, skill, train)
  const each = Math.max(2, Math.round(runs / (units + Math.sqrt(units))))
  const draw = (has: readonly boolean[], count: number) =>
    Array.from({ length: count }, (_, at) => {
      const one = cases[at % cases.length]
      return one === undefined ? 0 : drawScore(random, passRate(one, has), skill.checks)
    })
  const all = Array.from({ length: units }, () => true)
  const whole = draw(all, Math.round(each * Math.sqrt(units)))
  return all.map((_, unit) => {
    const without = draw(
      all.map((_has, at) => at !== unit),
      each,
    )
    const variance = sampleVariance(whole) / whole.length + sampleVariance(without) / without.length
    const mean = sampleMean(whole) - sampleMean(without)
    const df = whole.length + without.length - 2
    const standardError = Math.sqrt(Math.max(variance, 0.01 / without.length))
    const low = mean - tQuantile(0.975, df) * standardError
    const effect = { mean, standardError, df, low, high: 1, pValue: 1, pAdjusted: 1 }
    return isDropped(decideUnit(effect, { units, detect }))
  })
}

function drawPairs(
  random: Random,
  drawn: { skill: PlantedSkill; one: PlantedCase; at: number; pairs: number; proposed: boolean[]; all: boolean[] },
): PairedCase {
  const { skill, one, at, pairs, proposed, all } = drawn
  const draw = (has: readonly boolean[]) =>
    Array.from({ length: pairs }, () => drawScore(random, passRate(one, has), skill.checks))
  const tokens = (has: readonly boolean[]) => Array.from({ length: pairs }, () => drawTokens(random, skill, has))
  const [candidate, baseline] = [draw(proposed), draw(all)]
  const none = Array.from({ length: pairs }, () => null)
  return {
    ...{ evalId: at, candidate, baseline, expectations: skill.checks },
    passed: { candidate: candidate.map((score) => score === 1), baseline: baseline.map((score) => score === 1) },
    seconds: { candidate: none, baseline: none },
    usd: { candidate: none, baseline: none },
    tokens: { candidate: tokens(proposed), baseline: tokens(all) },
  }
}
