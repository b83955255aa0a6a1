/** What the looks of a benchmark that is stopped by them see of runs that were judged in part. */
import { describe, expect, test } from 'vitest'
import { releasedOf } from '../../../src/phases/4-report/until.ts'
import { arm, inputOf } from './fixture.ts'

/** Pairs that won, and all, at the last look, which ends it after two of three blocks of four cases. */
function seen(candidate: readonly string[], baseline: readonly string[]) {
  const lines = [1, 2, 3, 4].flatMap((id) => [
    ...arm(id, 'with_skill', candidate),
    ...arm(id, 'without_skill', baseline),
  ])
  const found = releasedOf(inputOf(lines, { maxRuns: 3 }), { candidate: 'with_skill', baseline: 'without_skill' })
  const last = found?.until.looks.at(-1)
  return [last?.wins, last?.pairs]
}

describe('a pair of runs', () => {
  test('of which a judge left more open in one arm is none', () => {
    expect(seen(['+?', '+?', '+?'], ['+-', '+-', '+-'])[1]).toBe(0)
  })
  test('of which the same is open in both counts, block by block', () => {
    expect(seen(['+?', '++', '++'], ['-?', '--', '--'])).toEqual([8, 8])
  })
  test('control: all decided', () => {
    expect(seen(['++', '++', '++'], ['--', '--', '--'])).toEqual([8, 8])
  })
})
