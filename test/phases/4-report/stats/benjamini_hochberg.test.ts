/** Benjamini and Hochberg's adjustment against a hand-computed example, and its laws. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { benjaminiHochberg } from '../../../../src/phases/4-report/stats/tests/benjamini_hochberg.ts'

const rounded = (values: readonly number[]) => values.map((value) => Number(value.toFixed(12)))

test.each([
  [
    [0.01, 0.04, 0.03, 0.005, 0.2],
    [0.025, 0.05, 0.05, 0.025, 0.2],
  ],
  [[0.03], [0.03]],
  [[], []],
  [
    [0.9, 1],
    [1, 1],
  ],
])('%j', (values, adjusted) => expect(rounded(benjaminiHochberg(values))).toEqual(adjusted))

const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 })
test('never smaller than before, at most 1, in the order of the values', () => {
  fc.assert(
    fc.property(pValues, (values) => {
      const adjusted = benjaminiHochberg(values)
      for (const [at, value] of values.entries()) {
        expect(adjusted[at]).toBeGreaterThanOrEqual(value * (1 - 1e-12)) // up to rounding
        expect(adjusted[at]).toBeLessThanOrEqual(1)
        for (const [other, more] of values.entries()) {
          if (value <= more) expect(adjusted[at]).toBeLessThanOrEqual(adjusted[other] ?? 0)
        }
      }
    }),
  )
})
