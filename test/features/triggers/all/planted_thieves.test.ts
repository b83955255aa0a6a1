/** Who takes whose queries: planted thieves are found, honest skills are not named, and most of the grid is not run. */
import { describe, expect, test } from 'vitest'
import { findThefts } from '../../../../src/features/triggers/all/theft_rule.ts'
import { simulateMatrices, threeThieves } from './planted.ts'

describe('200 simulations', () => {
  test('30 skills, 5 queries, three thieves: each named with power ≥ 0.8, FDR ≤ 5%, at most 40% of the grid', () => {
    const made = simulateMatrices(threeThieves, 200)
    expect(made.power).toBeGreaterThan(0.95)
    expect(made.allFound).toBeGreaterThan(0.8)
    expect(made.fdr).toBeLessThanOrEqual(0.05)
    expect(made.share).toBeLessThan(0.4)
    expect(made.coverage).toBeGreaterThan(0.95)
  })

  test('no thief: at least 95% of the simulations name nobody', () => {
    const made = simulateMatrices({ ...threeThieves, thieves: 0 }, 200)
    expect(made.clean).toBeGreaterThanOrEqual(0.95)
    expect(made.share).toBeLessThan(0.4)
  })

  // four skills, each of which reads every other at the tolerated rate: the hardest case without a theft
  test('everybody is read at the tolerated rate: at least 95% name nobody, where single tests would name somebody', () => {
    const border = { ...threeThieves, skills: 4, queries: 10, most: 10, thieves: 0, own: 0.85, background: 0.15 }
    const made = simulateMatrices(border, 200)
    expect(made.clean).toBeGreaterThanOrEqual(0.95)
    expect(made.cleanOneByOne).toBeLessThan(0.9) // negative control
  })
})

const ownQuery = (id: number, runs: number, reads: readonly (readonly [string | null, number])[]) => ({
  ...{ query_id: id, asked_with: 'a', owners: ['a'], not_of: [], runs },
  reads: reads.map(([skill, count]) => ({ skill, runs: count })),
})

test('a named pair has its queries, rate and interval; the adjustment is for every pair, also those without a read', () => {
  const queries = [
    ownQuery(1, 4, [['b', 4]]),
    ownQuery(2, 4, [['b', 2], ['a', 2]]), // biome-ignore format: a table
    ownQuery(3, 4, [['a', 4]]),
  ]
  const few = findThefts(queries, { skills: ['a'], installed: ['a', 'b', 'c'] })
  expect(few.tested).toBe(2)
  expect(few.pairs).toMatchObject([
    { skill: 'a', taken_by: 'b', reads: 6, runs: 12, rate: { value: 0.5, n: 3 }, query_ids: [1, 2], named: true },
  ])
  const thousands = Array.from({ length: 5000 }, (_, at) => `other-${at}`)
  const [among] = findThefts(queries, { skills: ['a'], installed: ['a', 'b', ...thousands] }).pairs
  expect(among?.p_value).toBe(few.pairs[0]?.p_value)
  expect(among?.named).toBe(false)
})

test('a query that belongs to two skills is taken by neither', () => {
  const shared = { ...ownQuery(1, 10, [['b', 10]]), owners: ['a', 'b'] }
  expect(findThefts([shared], { skills: ['a'], installed: ['a', 'b'] })).toEqual({ pairs: [], tested: 0 })
})
