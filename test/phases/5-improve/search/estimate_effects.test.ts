/** Effects of edits from runs of mixes: planted effects are found and shrunk; what a round says of each edit, and which it keeps, for both goals. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSeededRandom } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { drawMixes, takeTurns } from '../../../../src/phases/5-improve/search/draw_mixes.ts'
import { estimateEffects, type MixedRun } from '../../../../src/phases/5-improve/search/estimate_effects.ts'
import { type EffectsRequest, estimateRound } from '../../../../src/phases/5-improve/search/estimate_round.ts'

const planted: Record<string, number> = { a: 0.3, b: -0.2, c: 0, d: 0.1 }
const ids = Object.keys(planted)

/** A round: pairs of mixes, and a fifth as many runs of the parent. Scores are base + case + effects + noise (a standard deviation). */
function runRound({ pairs, noise = 0, seed = 1 }: { pairs: number; noise?: number; seed?: number }): MixedRun[] {
  const random = createSeededRandom(seed)
  const run = (evalId: number, half: readonly string[]) => {
    const error = noise * Math.sqrt(12) * (random() - 0.5)
    const score = 0.3 + 0.1 * evalId + half.reduce((sum, id) => sum + (planted[id] ?? 0), 0) + error
    return { evalId, edits: new Set(half), score }
  }
  const mixes = drawMixes(ids, { cases: [1, 2, 3], pairs, random })
  return [
    ...takeTurns([1, 2, 3], Math.ceil((2 * pairs) / 5), random).map((evalId) => run(evalId, [])),
    ...mixes.flatMap(({ evalId, halves }) => halves.map((half) => run(evalId, half))),
  ]
}

const effectsOf = (runs: readonly MixedRun[]) => Object.fromEntries(estimateEffects(runs, ids).effects)

test('with many runs the planted effects are found, and the rate without any edit', () => {
  const { effects, base } = estimateEffects(runRound({ pairs: 2000 }), ids)
  for (const id of ids) expect(effects.get(id)).toBeCloseTo(planted[id] ?? 0, 1)
  // the mean over the cases: 0.3 + 0.1 · 2
  expect(base).toBeCloseTo(0.5, 1)
})

test('without runs of the parent only the differences between edits are found: each mix has half of them', () => {
  const { effects } = estimateEffects(
    runRound({ pairs: 2000 }).filter(({ edits }) => edits.size > 0),
    ids,
  )
  const of = (id: string) => effects.get(id) ?? Number.NaN
  expect(of('a') - of('b')).toBeCloseTo(0.5, 1)
  expect(of('d') - of('c')).toBeCloseTo(0.1, 1)
  expect(ids.reduce((sum, id) => sum + of(id), 0)).toBeLessThan(0.05)
})

test('a case that is harder is not held against the edits that ran on it', () => {
  const hard = { evalId: 1, score: 0 }
  const easy = { evalId: 2, score: 1 }
  const [x, none] = [new Set(['x']), new Set<string>()]
  // x runs thirty times on the hard case and ten times on the easy one, and changes nothing
  const times = (count: number, run: Omit<MixedRun, 'edits'>, edits: ReadonlySet<string>) =>
    Array.from({ length: count }, () => ({ ...run, edits }))
  const runs = [...times(30, hard, x), ...times(10, easy, x), ...times(10, hard, none), ...times(30, easy, none)]
  const effect = estimateEffects(runs, ['x']).effects.get('x') ?? Number.NaN
  // by the means alone it would be −0.5
  expect(Math.abs(effect)).toBeLessThan(0.05)
})

test('the order of the runs does not matter', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 2, max: 30 }), (seed, pairs) => {
      const runs = runRound({ pairs, noise: 0.4, seed })
      const [there, back] = [effectsOf(runs), effectsOf(runs.toReversed())]
      for (const id of ids) expect(back[id]).toBeCloseTo(there[id] ?? Number.NaN, 3)
    }),
    { numRuns: 30 },
  )
})

test('with few runs effects are smaller than what the runs show, and never of the other sign', () => {
  const few = effectsOf(runRound({ pairs: 12 }))
  expect(few.a).toBeGreaterThan(0.05)
  expect(few.a).toBeLessThan(0.25)
  expect(few.b).toBeLessThan(-0.03)
  expect(few.b).toBeGreaterThan(-0.17)
})

test('scores in another unit give effects in that unit', () => {
  const runs = runRound({ pairs: 20, noise: 0.2 })
  const scaled = effectsOf(runs.map((run) => ({ ...run, score: 1000 * run.score })))
  for (const [id, effect] of Object.entries(effectsOf(runs))) expect(scaled[id]).toBeCloseTo(1000 * effect, 3)
})

test('an edit that never ran has no effect, and no run at all is no error', () => {
  expect(estimateEffects(runRound({ pairs: 4 }), [...ids, 'never']).effects.get('never')).toBe(0)
  expect(estimateEffects([], ['a'])).toEqual({ effects: new Map([['a', 0]]), base: 0 })
})

interface Arm {
  score: number
  tokens: number | null
}

/** Ten runs of each arm on both cases: with the edit x, and without any edit. */
function requestOf({ x, none, ...more }: { x: Arm; none: Arm } & Partial<EffectsRequest>): EffectsRequest {
  const runs = [1, 2].flatMap((evalId) =>
    Array.from({ length: 10 }, () => [
      { evalId, edits: new Set(['x']), ...x },
      { evalId, edits: new Set<string>(), ...none },
    ]).flat(),
  )
  return { ids: ['x'], goal: 'better', cases: [1, 2], runs, ...more }
}

const before = { score: 0.5, tokens: 1000 }

describe('kept', () => {
  test.each<[string, EffectsRequest['goal'], Arm, boolean]>([
    ['better: more passes', 'better', { score: 0.8, tokens: 2000 }, true],
    ['better: fewer passes', 'better', { score: 0.4, tokens: 500 }, false],
    ['cheaper: fewer tokens at the same rate', 'cheaper', { score: 0.5, tokens: 600 }, true],
    ['cheaper: fewer tokens, a loss of a point', 'cheaper', { score: 0.49, tokens: 600 }, true],
    ['cheaper: fewer tokens, a loss of ten points', 'cheaper', { score: 0.4, tokens: 600 }, false],
    ['cheaper: a better rate for more tokens', 'cheaper', { score: 0.8, tokens: 1200 }, false],
  ])('%s', (_, goal, x, isKept) => {
    expect(estimateRound(requestOf({ x, none: before, goal })).kept).toEqual(isKept ? ['x'] : [])
  })

  test('cheaper, but no run reports tokens: by the rate', () => {
    const x = { score: 0.8, tokens: null }
    const none = { score: 0.5, tokens: null }
    expect(estimateRound(requestOf({ x, none, goal: 'cheaper' })).kept).toEqual(['x'])
  })
  test('cheaper: runs without tokens count for the rate only', () => {
    const request = requestOf({ x: { score: 0.5, tokens: 600 }, none: before, goal: 'cheaper' })
    const more = { evalId: 1, edits: new Set(['x']), score: 0.5, tokens: null }
    expect(estimateRound({ ...request, runs: [...request.runs, more] }).kept).toEqual(['x'])
  })
})

test('per case: the means with and without the edit; null where there is no such run', () => {
  const of = (evalId: number, ids: string[], score: number) => ({ evalId, edits: new Set(ids), score, tokens: null })
  const runs = [of(1, ['x'], 1), of(1, ['x', 'y'], 0.5), of(1, [], 0), of(2, ['y'], 1), of(2, [], 1)]
  const { effects } = estimateRound({ ids: ['x', 'y'], goal: 'better', cases: [1, 2, 3], runs })
  expect(effects.get('x')).toMatchObject({
    runs_with: 2,
    runs_without: 3,
    cases: [
      { eval_id: 1, with: 0.75, without: 0 },
      { eval_id: 2, with: null, without: 1 },
      { eval_id: 3, with: null, without: null },
    ],
  })
  expect(effects.get('y')?.cases[0]).toEqual({ eval_id: 1, with: 0.5, without: 0.5 })
})

test('the rate of a version is that of its parent plus the effects of its edits, between 0 and 1', () => {
  const { base, effects, rateWith } = estimateRound(requestOf({ x: { ...before, score: 0.8 }, none: before }))
  expect(rateWith([])).toBe(base)
  expect(rateWith(['x'])).toBeCloseTo(base + (effects.get('x')?.effect ?? Number.NaN), 5)
  const all = estimateRound(requestOf({ x: { ...before, score: 1 }, none: { ...before, score: 1 } }))
  expect(all.rateWith(['x'])).toBeLessThanOrEqual(1)
})
