/** --until decided: when is looked, what is seen, and when it ends. */
import { describe, expect, test } from 'vitest'
import type { CaseScores } from '../../../../src/phases/4-report/stats/case_scores.ts'
import { eValue } from '../../../../src/phases/4-report/stats/e_value.ts'
import { usualOptions } from '../../../../src/phases/4-report/stats/options.ts'
import { blocksOf } from '../../../../src/phases/4-report/stats/pairs.ts'
import { theseCases } from '../../../../src/phases/4-report/stats/these_cases.ts'
import { untilDecided } from '../../../../src/phases/4-report/stats/until.ts'

/** As many equal cases: '+' met, '-' not, by block. */
function suite(cases: number, candidate: string, baseline: string): CaseScores[] {
  const scores = (marks: string) => [...marks].map((mark) => (mark === '+' ? 1 : 0))
  return Array.from({ length: cases }, () => ({ candidate: scores(candidate), baseline: scores(baseline) }))
}

function until(scores: readonly CaseScores[], maxRuns: number, finished = maxRuns) {
  return untilDecided(scores, { maxRuns, cases: scores.length, finished }, usualOptions)
}

const plus = (times: number) => '+'.repeat(times)
const minus = (times: number) => '-'.repeat(times)

describe('the first look is after the first block that could decide', () => {
  test.each([
    [1, 7],
    [2, 4],
    [4, 2],
    [6, 2],
    [7, 1],
    [20, 1],
  ])('%i cases: after %i', (cases, blocks) => {
    expect(until(suite(cases, '', ''), 20, 0)).toMatchObject({ blocks: 0, next: blocks, stopped: null, looks: [] })
    const won = until(suite(cases, plus(20), minus(20)), 20)
    expect(won).toMatchObject({ blocks, next: null, stopped: 'decided' })
    expect(won.looks).toHaveLength(1)
    // a look before it could not decide: no outcome of fewer blocks reaches 1/alpha
    expect(eValue(cases * (blocks - 1), 0, 2)).toBeLessThan(20)
  })
})

test('decided for the candidate, and against it', () => {
  const reason = (found: ReturnType<typeof until>) => found.reason
  expect(reason(until(suite(4, plus(9), minus(9)), 9))).toBe('stopped after 2 blocks: decided (helps)')
  expect(reason(until(suite(4, minus(9), plus(9)), 9))).toBe('stopped after 2 blocks: decided (hurts)')
})

test('pairs that are all even decide that there is no difference, by the interval that holds at every look', () => {
  const found = until(suite(4, plus(200), plus(200)), 200)
  expect(found).toMatchObject({ stopped: 'decided', reason: expect.stringContaining('decided (no difference)') })
  expect(found.looks.at(-1)).toMatchObject({ wins: 0, losses: 0, verdict: 'no_difference' })
  expect(found.blocks).toBeLessThan(200)
})

test('a look is spared the interval only where it could not decide: the verdict is that of the report', () => {
  const cases = [...suite(3, plus(120), plus(120)), ...suite(1, '+-'.repeat(60), '-+'.repeat(60))]
  const found = until(cases, 120)
  for (const { blocks, verdict } of found.looks) {
    const sequential = { maxRuns: 120, cases: 4, finished: blocks }
    expect(verdict).toBe(theseCases(cases, { ...usualOptions, sequential }).verdict)
  }
  expect(found.looks.at(-1)?.verdict).toBe('no_difference')
})

test('futile: ended as soon as the blocks left could not decide', () => {
  const cases = [...suite(1, plus(8), minus(8)), ...suite(1, minus(8), plus(8))]
  const found = until(cases, 8)
  expect(found).toMatchObject({ stopped: 'futile', next: null })
  const left = 2 * (8 - found.blocks)
  const { wins, losses } = found.looks.at(-1) ?? { wins: 0, losses: 0 }
  expect(eValue(wins + left, losses, 2)).toBeLessThan(20)
  expect(left).toBeGreaterThan(0)
})

test('the most that is allowed ends it undecided', () => {
  const found = until([...suite(3, '+-+-', '-+-+'), ...suite(1, '++++', '----')], 4)
  expect(found.stopped === 'max_runs' || found.stopped === 'futile').toBe(true)
  expect(until(suite(4, '+', '-'), 1)).toMatchObject({
    stopped: 'max_runs',
    reason: 'stopped after 1 block, the most that --max-runs allows: not decided',
  })
})

test('what is made beyond the finished blocks is not looked at', () => {
  const cases = suite(4, plus(5), minus(5))
  expect(until(cases, 5, 1)).toMatchObject({ blocks: 0, next: 2, stopped: null })
  expect(until(cases, 5, 2)).toMatchObject({ blocks: 2, stopped: 'decided' })
})

test('the looks of some blocks are those of more: a resume looks as before', () => {
  const cases = [...suite(2, '+-++-+-+++', '-+--++---+'), ...suite(2, '+++-++-+++', '--+-+-----')]
  const all = until(cases, 10)
  expect(all.looks.length).toBeGreaterThan(1)
  for (const { blocks } of all.looks) {
    const some = until(cases, 10, blocks)
    expect(some.looks).toEqual(all.looks.filter((look) => look.blocks <= blocks))
  }
})

describe('a run whose partner is missing', () => {
  const numbers = { candidate: [1, 2, 3], baseline: [1, 3] }
  const gap: CaseScores = { candidate: [1, 0, 1], baseline: [0, 0], numbers }
  test('is in no pair; pairs are by number, not by place', () => {
    const { pairs } = blocksOf([gap], 3)
    expect(pairs).toEqual([
      { candidate: 1, baseline: 0 },
      { candidate: 1, baseline: 0 },
    ])
  })
  test('leaves its block with the others, but the block is not whole', () => {
    const { pairs, whole } = blocksOf([gap, ...suite(1, '+++', '---')], 3)
    expect([pairs.length, whole.length]).toEqual([5, 2])
  })
})
