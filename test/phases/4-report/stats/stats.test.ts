/** Numbers of the report: rounding as the reference rounds, sample statistics, signs. */
import fc from 'fast-check'
import { expect, describe as group, test } from 'vitest'
import { summarizeValues } from '../../../../src/phases/4-report/stats/numbers/describe.ts'
import { formatFixed, formatSigned, round } from '../../../../src/phases/4-report/stats/numbers/round.ts'

group('describe', () => {
  test('nothing for no values', () => expect(summarizeValues([])).toBeNull())
  test.each([
    [[0.5], { mean: 0.5, stddev: 0, min: 0.5, max: 0.5 }],
    [[0.8, 0.85, 0.9], { mean: 0.85, stddev: 0.05, min: 0.8, max: 0.9 }],
    [[3, 1, 2], { mean: 2, stddev: 1, min: 1, max: 3 }],
    [[10, 9, 8, 1], { mean: 7, stddev: 4.0825, min: 1, max: 10 }],
    [[1 / 3, 2 / 3], { mean: 0.5, stddev: 0.2357, min: 0.3333, max: 0.6667 }],
  ])('%j', (values, expected) => expect(summarizeValues(values)).toEqual(expected))

  const values = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 30 })
  test('the mean lies between the smallest and the largest', () => {
    fc.assert(
      fc.property(values, (some) => {
        const found = summarizeValues(some)
        return found !== null && found.min <= found.mean && found.mean <= found.max && found.stddev >= 0
      }),
    )
  })
  test('the order of the values does not matter', () => {
    fc.assert(
      fc.property(values, (some) => {
        expect(summarizeValues(some.toReversed())).toEqual(summarizeValues(some))
      }),
    )
  })
  test('a shift moves the mean and leaves the spread', () => {
    const whole = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(whole, (some) => {
        const [before, after] = [summarizeValues(some), summarizeValues(some.map((value) => value + 64))]
        expect(after?.mean).toBeCloseTo((before?.mean ?? 0) + 64, 3)
        expect(after?.stddev).toBeCloseTo(before?.stddev ?? 0, 3)
      }),
    )
  })
})

group('rounding', () => {
  test.each([
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
    [-0.125, 2, '-0.12'],
    [1701.5, 0, '1702'],
    [2.675, 2, '2.67'],
    [0.005, 2, '0.01'],
    [-0.004, 2, '0.00'],
    [-0, 1, '0.0'],
    [1e9, 0, '1000000000'],
  ])('%d to %i decimals is %s', (value, digits, text) => expect(formatFixed(value, digits)).toBe(text))
  test.each([
    [0.5, 2, '+0.50'],
    [1700, 0, '+1700'],
    [-0.25, 2, '-0.25'],
    [0, 2, '+0.00'],
    [-0, 2, '+0.00'],
    [-0.001, 2, '+0.00'],
    [-0.04, 1, '+0.0'],
  ])('%d with sign and %i decimals is %s', (value, digits, text) => expect(formatSigned(value, digits)).toBe(text))
  test('is never further away than half of the last digit', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    fc.assert(fc.property(value, (one) => Math.abs(round(one, 4) - one) <= 0.00005 + 1e-9))
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.double()), (one) => Object.is(round(one, 4), Number(formatFixed(one, 4)))),
    )
    expect([round(-0, 2), round(-0.001, 2)]).toEqual([0, 0])
  })
})
