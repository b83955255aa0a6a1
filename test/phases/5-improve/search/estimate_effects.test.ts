/** Effects of edits from runs of mixes: planted effects are found, shrunk, and do not depend on the order of the runs. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeededRandom } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { drawMixes, takeTurns } from '../../../../src/phases/5-improve/search/draw_mixes.ts'
import { estimateEffects, type MixedRun } from '../../../../src/phases/5-improve/search/estimate_effects.ts'

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

test('through noise as large as that of a run that passes or fails, the order of strong effects is kept', () => {
  const found = Array.from({ length: 40 }, (_, at) => effectsOf(runRound({ pairs: 60, noise: 0.45, seed: 100 + at })))
  const mean = (id: string) => found.reduce((sum, one) => sum + (one[id] ?? 0), 0) / found.length
  expect(mean('a')).toBeGreaterThan(mean('d'))
  expect(mean('d')).toBeGreaterThan(mean('b'))
  expect(found.filter(({ a = 0, b = 0 }) => a > b).length).toBeGreaterThan(37)
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

test('an edit that never ran has no effect, and no run at all is no error', () => {
  expect(estimateEffects(runRound({ pairs: 4 }), [...ids, 'never']).effects.get('never')).toBe(0)
  expect(estimateEffects([], ['a'])).toEqual({ effects: new Map([['a', 0]]), base: 0 })
})
