/** Numbers on the page read as they do in the terminal. */
import { describe, expect, test } from 'vitest'
import * as terminal from '../../src/phases/4-report/text/format.ts'
import * as page from '../../viewer/format.ts'

const rates = [0, 0.0004, 0.004, 0.0496, 0.05, 0.0502, 0.12, 0.5, 0.994, 0.996, 0.9999, 1]

describe('numbers', () => {
  test.each(rates)('the rate and the p %d', (rate) => {
    expect(page.displayPercent(rate)).toBe(terminal.formatPercent(rate))
    expect(`p ${page.displayProbability(rate)}`).toBe(terminal.pText(rate))
  })
  test.each([0, 0.04, 9.96, 59.9, 599.9, 600, 3599.6])('%d seconds', (value) => {
    expect(page.displaySeconds(value)).toBe(terminal.formatSeconds(value))
  })
  test.each([0, 0.0042, 0.01, 1.5, 1234.5])('%d dollars', (value) => {
    expect(page.displayDollars(value)).toBe(terminal.formatDollars(value))
  })
  test.each([0, 1, 999, 1000, 1_234_567])('%d of something', (value) => {
    expect([page.displayCount(value), page.displayPlural(value, 'run')]).toEqual([
      terminal.formatCount(value),
      terminal.formatPlural(value, 'run'),
    ])
  })
  test.each([
    [0.7, 0.5],
    [0.655, 0.84],
    [0.504, 0.5],
    [0.756, 0.704],
    [1, 0.996],
    [0.003, 0],
    [0.25, 0.25],
    [0, 1],
  ])('the rates %d and %d and their points read as in the terminal', (candidate, baseline) => {
    const { difference, ...rates } = terminal.formatRates(candidate, baseline)
    const shown = difference.replace(/^\+(0(\.0)?)$/, '$1')
    expect(page.displayRates(candidate, baseline)).toEqual({ ...rates, difference: shown })
  })
  test.each([
    [0.08, 0.32, '+8 to +32'],
    [-0.07, 0.004, '-7.0 to +0.4'],
    [0, 0.1, '0 to +10'],
  ])('an interval from %d to %d', (low, high, shown) => {
    expect(page.displayPointRange(low, high)).toBe(shown)
  })
  test('a small effect never reads as 0', () => {
    expect([0.004, -0.004, 0.09, 0].map(page.displayFinePoints)).toEqual(['+0.4', '-0.4', '+9', '0'])
  })
  test('bytes, and differences in points with their sign', () => {
    expect([999, 1000, 999_999, 1e6].map(page.bytesText)).toEqual(['999 B', '1.0 kB', '1000.0 kB', '1.0 MB'])
    expect([0.126, -0.126, 0.001].map(page.displayPoints)).toEqual(['+13', '-13', '0'])
  })
})
