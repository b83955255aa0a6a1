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
  test('bytes, and differences in points with their sign', () => {
    expect([999, 1000, 999_999, 1e6].map(page.bytesText)).toEqual(['999 B', '1.0 kB', '1000.0 kB', '1.0 MB'])
    expect([0.126, -0.126, 0.001].map(page.displayPoints)).toEqual(['+13', '-13', '0'])
  })
})
