/** Blind comparisons in numbers: against the reference values, from either side, and what makes a judge doubtful. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Comparison, comparison } from '../../../schemas/comparison.ts'
import { tallyComparisons } from '../../../src/features/compare/summarize.ts'

const seed = comparison.parse(
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../../schemas/fixtures/comparison.json'), 'utf8')),
)
const sides = { A: { configuration: 'with', run: '' }, B: { configuration: 'without', run: '' } }
const one = (changes: Partial<Comparison>) => {
  return { eval_id: 1, eval_name: 'x', comparison: { ...seed, sides, ...changes } }
}
const many = (winner: Comparison['winner'], count: number, changes: Partial<Comparison> = {}) =>
  Array.from({ length: count }, () => one({ winner, ...changes }))
const of = (comparisons: ReturnType<typeof one>[], errors = 0) =>
  tallyComparisons({ a: 'with', b: 'without', judge: null, comparisons, errors })

describe('numbers', () => {
  test('7 wins, 3 losses: p 0.344; ties count half and are not in the test', () => {
    expect(of([...many('A', 7), ...many('B', 3)])).toMatchObject({ win_rate: 0.7, p_value: 0.34375, pairs: 10 })
    const tied = of([...many('A', 7), ...many('B', 3), ...many('TIE', 2)])
    expect(tied).toMatchObject({ wins: 7, losses: 3, ties: 2, win_rate: 0.666667, p_value: 0.34375 })
    expect(tied.sentence).toBe(
      'Blind and in both orders, with wins 7 of 12 pairs against without, loses 3, 2 ties (win rate 67% [39%, 86%], sign test p = 0.34).',
    )
  })
  test('wins are those of a, whichever side it was on', () => {
    expect(of(many('B', 4, { sides: { A: sides.B, B: sides.A } }))).toMatchObject({ wins: 4, losses: 0 })
  })
  test('no pair, only errors: no rate, and it says so', () => {
    expect(of([], 3)).toMatchObject({ pairs: 0, win_rate: null, p_value: null, errors: 3 })
    expect(of([], 3).warnings).toEqual(['3 pairs could not be judged and do not count here.'])
  })
})

describe('doubts', () => {
  const lengths = (a: number, b: number) => {
    const length = (bytes: number) => ({ response_chars: 0, files: 1, bytes })
    return { lengths: { A: length(a), B: length(b) } }
  }
  const scored = (lead: number) => ({
    rubric: { A: { ...seed.rubric.A, overall_score: 5 + lead }, B: { ...seed.rubric.B, overall_score: 5 } },
  })
  const following = [1, 2, 3, 4, 5, 6, 7, 8].map((step) => one({ ...lengths(step * 100, 50), ...scored(step / 2) }))
  test('scores that follow length', () => {
    expect(of(following).length_correlation).toBe(1)
    expect(of(following).warnings.join()).toContain('the longer output tends to win')
    expect(of(following.map((pair) => one({ ...pair.comparison, ...lengths(100, 50) }))).length_correlation).toBeNull()
    expect(of(following.slice(0, 3)).length_correlation).toBeNull()
  })
  test('flips', () => {
    const said = { reasoning: '', overall_score: { A: 5, B: 5 }, contradicts_scores: false }
    const judgements = [
      { ...said, shown_first: 'A' as const, winner: 'A' as const },
      { ...said, shown_first: 'B' as const, winner: 'B' as const },
    ]
    const flipped = of([...many('TIE', 1, { flips: 1, judgements }), ...many('A', 3)])
    expect(flipped).toMatchObject({ flips: 1, flip_rate: 0.25, shown_first_wins: { won: 2, decided: 2 } })
    expect(flipped.warnings).toHaveLength(1)
    expect(of([...many('TIE', 1, { flips: 1, judgements }), ...many('A', 4)]).warnings).toEqual([])
  })
  test('winners with the lower score', () => {
    expect(of(many('A', 2, { contradicts_scores: true })).warnings).toEqual([
      'In 2 pairs the winner has the lower score.',
    ])
  })
})
