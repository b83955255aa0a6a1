/** Seeded worlds to try the statistics on: what each arm can do on each case is known, so every interval and verdict can be checked. */
import { createSeededRandom, type Random } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'

/** True chances of a case: with the skill and without it. */
export interface Truth {
  candidate: number
  baseline: number
}

export type World = (random: Random, effect: number) => Truth

/** A normal draw by Box and Muller. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** A gamma draw by Marsaglia and Tsang. */
function gamma(random: Random, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * (1 - random()) ** (1 / shape)
  const d = shape - 1 / 3
  for (;;) {
    const x = normal(random)
    const v = (1 + x / Math.sqrt(9 * d)) ** 3
    if (v > 0 && Math.log(1 - random()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v
  }
}

function beta(random: Random, a: number, b: number): number {
  const x = gamma(random, a)
  return x / (x + gamma(random, b))
}

const clip = (value: number) => Math.min(1, Math.max(0, value))

/** `effect` is nominal: chances end at 0 and 1, so the true mean effect is smaller (`meanEffect`). */
export const worlds: Record<'smooth' | 'bimodal' | 'saturated' | 'heteroscedastic', World> = {
  /** Cases of every difficulty, effects around the mean (statistics.md, 2.3). */
  smooth(random, effect) {
    const baseline = beta(random, 1.2, 1)
    return { baseline, candidate: clip(baseline + effect + 0.2 * normal(random)) }
  },
  /** Cases nearly always fail or nearly always pass; the skill does twice the effect on half of them, nothing on the others. */
  bimodal(random, effect) {
    const baseline = random() < 0.5 ? beta(random, 2, 18) : beta(random, 18, 2)
    return { baseline, candidate: random() < 0.5 ? clip(baseline + 2 * effect) : baseline }
  },
  /** 70 of 100 cases always pass in both arms. */
  saturated(random, effect) {
    const truth = worlds.smooth(random, effect)
    return random() < 0.7 ? { candidate: 1, baseline: 1 } : truth
  },
  /** Effects of very different size: most near the mean, three of ten with a spread of half the scale. */
  heteroscedastic(random, effect) {
    const baseline = beta(random, 1.2, 1)
    const spread = random() < 0.3 ? 0.5 : 0.05
    return { baseline, candidate: clip(baseline + effect + spread * normal(random)) }
  },
}

/** Both arms are equal on every case: whatever decides between them is wrong. */
export const equalWorlds: Record<'no difference' | 'every case at .5', World> = {
  'no difference'(random) {
    const rate = beta(random, 1.2, 1)
    return { baseline: rate, candidate: rate }
  },
  'every case at .5': () => ({ baseline: 0.5, candidate: 0.5 }),
}

export interface Plan {
  cases: number
  runs: number
  /** Expectations of a case; 1: pass or fail. */
  expectations: number
  /** Of the expectations of a run; absent: they are independent. 1: a run meets all or none. */
  correlation?: number
}

export interface SeenCase extends Truth {
  scores: { candidate: number[]; baseline: number[] }
}

export function runSuite(random: Random, truths: readonly Truth[], plan: Plan): SeenCase[] {
  const arm = (chance: number) => Array.from({ length: plan.runs }, () => met(random, chance, plan) / plan.expectations)
  return truths.map((truth) => ({
    ...truth,
    scores: { candidate: arm(truth.candidate), baseline: arm(truth.baseline) },
  }))
}

/** Each expectation copies a draw of the run with the chance √correlation, so two of them have this correlation. */
function met(random: Random, chance: number, { expectations, correlation = 0 }: Plan): number {
  const [copied, shared] = [Math.sqrt(correlation), correlation > 0 && random() < chance]
  let count = 0
  for (let at = 0; at < expectations; at += 1) {
    const isCopy = copied > 0 && random() < copied
    if (isCopy ? shared : random() < chance) count += 1
  }
  return count
}

export function drawTruths(random: Random, world: World, at: { cases: number; effect: number }): Truth[] {
  return Array.from({ length: at.cases }, () => world(random, at.effect))
}

/** The mean effect over the population of cases, from 400,000 of them. */
export function meanEffect(world: World, effect: number, draws = 400_000): number {
  const random = createSeededRandom(20_261_121)
  let sum = 0
  for (let at = 0; at < draws; at += 1) {
    const { candidate, baseline } = world(random, effect)
    sum += candidate - baseline
  }
  return sum / draws
}

/** The nominal effect that gives this mean. */
export function effectFor(world: World, mean: number): number {
  let [low, high] = [0, 3]
  for (let step = 0; step < 14; step += 1) {
    const middle = (low + high) / 2
    if (meanEffect(world, middle, 40_000) < mean) low = middle
    else high = middle
  }
  return (low + high) / 2
}

export function meanOfTruths(truths: readonly Truth[]): number {
  return truths.reduce((sum, one) => sum + one.candidate - one.baseline, 0) / truths.length
}
