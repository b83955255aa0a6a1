/** The null distribution of the group-sequential test, against one counted by hand or dealt one by one. */
import { expect, test } from 'vitest'
import { signTest } from '../../../../src/features/compare/summarize.ts'
import {
  dealGroup,
  findCritical,
  logUnanimous,
  rejectPaths,
  startPaths,
  tailChance,
} from '../../../../src/phases/4-report/stats/tests/permutation_paths.ts'
import { near } from './near.ts'

const pairs = (count: number) =>
  Array.from({ length: count }).reduce<typeof startPaths>((paths) => dealGroup(paths, [1], [0]), startPaths)

test.each([
  [6, 6],
  [10, 8],
  [41, 13],
])('single pairs: %i unequal, a difference of %i is the sign test', (count, difference) => {
  near(tailChance(pairs(count), difference), signTest((count + difference) / 2, (count - difference) / 2, 2))
})

test('a group: each way to deal its scores is as likely', () => {
  // {3, 1} and {0, 2} to the arms: of the six ways two have a difference of 4, two of 2, two of 0
  const paths = dealGroup(startPaths, [3, 1], [0, 2])
  near(tailChance(paths, 4), 1 / 3)
  near(tailChance(paths, 2), 2 / 3)
  near(tailChance(paths, 0), 1)
  near(paths.variance, (2 * 16 + 2 * 4) / 6)
})

test('even scores change nothing; a group of n wins has the chance 1 of (2n over n)', () => {
  expect(dealGroup(pairs(3), [1, 1], [1, 1]).chances).toEqual(pairs(3).chances)
  const four = dealGroup(startPaths, [1, 1, 1, 1], [0, 0, 0, 0])
  near(tailChance(four, 4), 2 / 70)
  near(Math.exp(logUnanimous({ pairs: 5, group: 4, cases: 2 })), 2 / 140 ** 2)
})

test('the critical difference spends what may be spent and no more; what it rejects is left out', () => {
  const paths = pairs(10)
  const critical = findCritical(paths, 0.05)
  expect(critical).toBe(10 - 2) // 9 of 10: p = 0.021; 8 of 10: p = 0.109
  expect(findCritical(pairs(5), 0.05)).toBeNull()
  const left = rejectPaths(paths, 8)
  near(left.rejected, signTest(9, 1, 2))
  near(left.rejected + left.chances.reduce((sum, one) => sum + one, 0), 1)
  // five more pairs: an earlier rejection counts
  const later = Array.from({ length: 5 }).reduce<typeof left>((before) => dealGroup(before, [1], [0]), left)
  expect(tailChance(later, 11)).toBeGreaterThan(left.rejected)
  expect(findCritical(later, left.rejected)).toBeNull()
})
