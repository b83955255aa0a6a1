/** Mixes are balanced over cases and over splits, and each pair has every edit once. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeededRandom } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'
import { drawMixes } from '../../../../src/phases/5-improve/search/draw_mixes.ts'

const idsOf = (count: number) => Array.from({ length: count }, (_, at) => `1.1.${at + 1}`)
const casesOf = (count: number) => Array.from({ length: count }, (_, at) => 10 + at)

/** The smallest and the largest number of times that a value occurs. */
function countTimes<T>(values: readonly T[], all: readonly T[]): { least: number; most: number } {
  const counts = all.map((one) => values.filter((other) => other === one).length)
  return { least: Math.min(...counts), most: Math.max(...counts) }
}

const drawn = fc.record({
  edits: fc.integer({ min: 1, max: 13 }),
  cases: fc.integer({ min: 1, max: 14 }),
  pairs: fc.integer({ min: 1, max: 70 }),
  seed: fc.nat(),
})

test('each case has as many pairs as the others, or one more, numbered from 1', () => {
  fc.assert(
    fc.property(drawn, ({ edits, cases, pairs, seed }) => {
      const made = drawMixes(idsOf(edits), { cases: casesOf(cases), pairs, random: createSeededRandom(seed) })
      expect(made).toHaveLength(pairs)
      const ids = made.map(({ evalId }) => evalId)
      const { least, most } = countTimes(ids, casesOf(cases))
      expect(most - least).toBeLessThanOrEqual(1)
      for (const evalId of casesOf(cases)) {
        const numbers = made.filter((one) => one.evalId === evalId).map(({ number }) => number)
        expect(numbers).toEqual(numbers.map((_, at) => at + 1))
      }
    }),
  )
})

test('the halves of a pair are disjoint and complete, equal in size or apart by one, and in the order of the edits', () => {
  fc.assert(
    fc.property(drawn, ({ edits, cases, pairs, seed }) => {
      const ids = idsOf(edits)
      for (const { halves } of drawMixes(ids, { cases: casesOf(cases), pairs, random: createSeededRandom(seed) })) {
        const [one, other] = halves
        expect([...one, ...other].sort()).toEqual([...ids].sort())
        expect(other.length - one.length).toBe(edits % 2)
        for (const half of halves) expect(half).toEqual(ids.filter((id) => half.includes(id)))
      }
    }),
  )
})

test('of eight splits each is run as often as the others, or once more', () => {
  const made = drawMixes(idsOf(12), { cases: casesOf(6), pairs: 27, random: createSeededRandom(5) })
  const splits = made.map(({ halves }) => halves[0].join())
  const distinct = [...new Set(splits)]
  expect(distinct).toHaveLength(8)
  expect(countTimes(splits, distinct)).toEqual({ least: 3, most: 4 })
})

test('the same seed draws the same; another seed draws others', () => {
  const draw = (seed: number) => drawMixes(idsOf(6), { cases: casesOf(5), pairs: 12, random: createSeededRandom(seed) })
  expect(draw(3)).toEqual(draw(3))
  expect(draw(4)).not.toEqual(draw(3))
})

test('without an edit or a case nothing is drawn', () => {
  expect(drawMixes([], { cases: [1], pairs: 4, random: createSeededRandom(1) })).toEqual([])
  expect(drawMixes(['1.1.1'], { cases: [], pairs: 4, random: createSeededRandom(1) })).toEqual([])
})
