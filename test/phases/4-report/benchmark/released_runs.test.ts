/** What the interim analyses of adaptive stopping see of runs that were judged in part. */
import { describe, expect, test } from 'vitest'
import { findReleasedRuns } from '../../../../src/phases/4-report/benchmark/released_runs.ts'
import { arm, inputOf } from '../fixture.ts'

/** Pairs that won, and all, at the only interim analysis, after three blocks of four cases. */
function seen(candidate: readonly string[], baseline: readonly string[]) {
  const lines = [1, 2, 3, 4].flatMap((id) => [
    ...arm(id, 'with_skill', candidate),
    ...arm(id, 'without_skill', baseline),
  ])
  const found = findReleasedRuns(inputOf(lines, { maxRuns: 3 }), { candidate: 'with_skill', baseline: 'without_skill' })
  const last = found?.until.looks.at(-1)
  return [last?.wins, last?.pairs]
}

describe('a pair of runs', () => {
  test('of which a judge left more open in one arm is none', () => {
    expect(seen(['+?', '+?', '+?'], ['+-', '+-', '+-'])[1]).toBe(0)
  })
  test('of which the same is open in both counts, block by block', () => {
    expect(seen(['+?', '++', '++'], ['-?', '--', '--'])).toEqual([12, 12])
  })
  test('control: all decided', () => {
    expect(seen(['++', '++', '++'], ['--', '--', '--'])).toEqual([12, 12])
  })
})
