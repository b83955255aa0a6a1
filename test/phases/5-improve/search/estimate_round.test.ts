/** What is said of each edit of a round, and which edits the next version keeps, for both goals. */
import { describe, expect, test } from 'vitest'
import { type EffectsRequest, estimateRound } from '../../../../src/phases/5-improve/search/estimate_round.ts'

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
