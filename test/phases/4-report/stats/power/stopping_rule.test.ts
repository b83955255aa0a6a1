/** --until decided: when the interim analyses are, what they find, and when the benchmark stops. */
import { describe, expect, test } from 'vitest'
import { pairByBlock } from '../../../../../src/phases/4-report/stats/power/group_sequential.ts'
import { untilDecided } from '../../../../../src/phases/4-report/stats/power/stopping_rule.ts'
import { theseCases } from '../../../../../src/phases/4-report/stats/scopes/these_cases.ts'
import type { CaseScores } from '../../../../../src/phases/4-report/stats/scores/case_scores.ts'
import { usualOptions } from '../../../../../src/phases/4-report/stats/statistics_options.ts'

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

describe('the first analysis is after the first block that could stop the benchmark, at most ten in all', () => {
  test.each([
    [1, 20, 4],
    [4, 20, 4],
    [7, 3, 1],
    [4, 100, 10],
  ])('%i cases, at most %i blocks: after %i', (cases, most, blocks) => {
    expect(until(suite(cases, '', ''), most, 0)).toMatchObject({ blocks: 0, next: blocks, stopped: null, looks: [] })
    expect(until(suite(cases, plus(most), minus(most)), most).looks.length).toBeLessThanOrEqual(10)
  })
})

test('decided for the candidate, and against it', () => {
  expect(until(suite(4, plus(20), minus(20)), 20).reason).toBe('stopped after 4 blocks: decided (helps)')
  expect(until(suite(4, minus(20), plus(20)), 20).reason).toBe('stopped after 4 blocks: decided (hurts)')
})

test.each([1, 2, 4, 8])(
  '%i cases, every pair a tie: stopped for futility within the first fifth of the runs',
  (cases) => {
    const found = until(suite(cases, plus(20), plus(20)), 20)
    expect(found).toMatchObject({
      stopped: 'futile',
      blocks: 4,
      next: null,
      reason: 'stopped early, after 4 of at most 20 blocks: more runs were unlikely to show a difference',
    })
    expect(found.looks.at(-1)).toMatchObject({ wins: 0, losses: 0, verdict: 'inconclusive' })
    expect(found.looks.at(-1)?.predictive_power).toBeLessThan(0.14)
  },
)

test('many even scores decide that there is no difference: the interval lies within the margin', () => {
  const even = suite(30, '+'.repeat(10), '+'.repeat(10))
  const mixed = Array.from({ length: 30 }, (_, at) => suite(1, at % 2 ? '+-+++++++-' : '+++++-++-+', '+++-++++++')[0])
  const found = until([...even, ...mixed.flatMap((one) => one ?? [])], 10)
  expect(found).toMatchObject({ stopped: 'decided', reason: expect.stringContaining('decided (no difference)') })
  expect(found.looks.at(-1)).toMatchObject({ verdict: 'no_difference' })
  expect(found.blocks).toBeLessThan(10)
})

test('a small difference that may become significant is not called none', () => {
  const ties = suite(232, plus(20), plus(20))
  const found = until([...ties, ...suite(8, plus(20), `-${plus(19)}`)], 20, 2)
  expect(found).toMatchObject({ stopped: null, looks: [{ wins: 8, losses: 0, pairs: 480, status: 'open' }] })
})

test('the verdict of an analysis is that of the report', () => {
  const cases = [...suite(3, '+-+++-++', '+--+--+-'), ...suite(1, '+-'.repeat(4), '-+'.repeat(4))]
  const found = until(cases, 8)
  expect(found.looks.length).toBeGreaterThan(2)
  for (const { blocks, verdict } of found.looks) {
    const sequential = { maxRuns: 8, cases: 4, finished: blocks }
    expect(theseCases(cases, { ...usualOptions, sequential }).verdict).toBe(verdict)
  }
})

test('a budget too small for analyses in between has one at the end', () => {
  const found = until(suite(1, plus(9), minus(9)), 9)
  expect(found).toMatchObject({ stopped: 'decided', blocks: 9, looks: { length: 1 } })
})

test('the most that is allowed ends it undecided', () => {
  expect(until(suite(4, '+', '-'), 1)).toMatchObject({
    stopped: 'max_runs',
    reason: 'stopped after 1 block, the maximum of --max-runs: inconclusive',
  })
})

test('what is made beyond the finished blocks is not looked at', () => {
  const cases = suite(4, plus(5), minus(5))
  expect(until(cases, 5, 1).looks.every(({ blocks }) => blocks === 1)).toBe(true)
  expect(until(cases, 5, 1)).toMatchObject({ next: 2, stopped: null })
  expect(until(cases, 5, 5)).toMatchObject({ blocks: 2, stopped: 'decided' })
})

test('the analyses of some blocks are those of more: a resume finds the same', () => {
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
    expect(pairByBlock([gap], 3)).toEqual([[[{ candidate: 1, baseline: 0 }], [], [{ candidate: 1, baseline: 0 }]]])
  })
  test('leaves its block with the others', () => {
    const pairs = pairByBlock([gap, ...suite(1, '+++', '---')], 2).flat(2)
    expect(pairs).toHaveLength(3)
  })
})
