/** Numbers and texts as people read them. */
import { describe, expect, test } from 'vitest'
import {
  formatCount,
  formatDollars,
  formatPercent,
  formatPointRange,
  formatPoints,
  formatRange,
  formatRates,
  formatSeconds,
  pText,
  shortenText,
} from '../../../../src/phases/4-report/text/format.ts'

test.each([
  [formatPercent(0), '0%'],
  [formatPercent(0.625), '62%'],
  [formatPercent(0.999), '>99%'],
  [formatSeconds(4.25), '4.2 s'],
  [formatSeconds(725), '12m 05s'],
  [formatCount(1234567), '1,234,567'],
  [formatDollars(0.0042), '$0.0042'],
  [formatDollars(0), '$0.00'],
  [shortenText('a \n b'), 'a b'],
  [shortenText('👍👍👍👍', 3), '👍👍…'],
  [formatRange(3, 1200), '3–1,200'],
  [pText(0.0004), 'p < 0.001'],
  [pText(0.0496), 'p = 0.0496'],
  [pText(0.0504), 'p = 0.0504'],
  [pText(0.05), 'p = 0.050'],
  [pText(0.051), 'p = 0.051'],
  [formatPointRange(0.39, 0.84), '[39, 84]'],
  [formatPointRange(-0.501, 0.334), '[-50, 33]'],
  [formatPointRange(0.004, 0.25), '[0.4, 25.0]'],
  [formatPointRange(0, 0.25), '[0, 25]'],
])('%s', (found, expected) => expect(found).toBe(expected))

describe('two rates and their difference', () => {
  const parse = (text: string) => Number(text.replace('%', ''))
  const twentyFourths = Array.from({ length: 25 }, (_, k) => k / 24)
  const pairs = twentyFourths.flatMap((own) => twentyFourths.map((other) => [own, other] as const))
  test.each([
    [0.75, 0.5, '75%', '50%', '+25'],
    [0.944444, 0.329167, '94%', '33%', '+62'],
    [5 / 6, 1 / 6, '83%', '17%', '+67'],
    [0.5, 0.5, '50%', '50%', '+0'],
    [0.5, 0.004, '50%', '<1%', '+50'],
    [0.504, 0.5, '50%', '50%', '+0.4'],
  ])('%d and %d', (own, other, candidate, baseline, difference) =>
    expect(formatRates(own, other)).toEqual({ candidate, baseline, difference }),
  )
  test('each number is within rounding of the true one, and its sign is right', () => {
    for (const [own, other] of pairs) {
      const { candidate, baseline, difference } = formatRates(own, other)
      const far = [
        parse(candidate) - 100 * own,
        parse(baseline) - 100 * other,
        parse(difference) - 100 * (own - other),
      ].map(Math.abs)
      expect(Math.max(...far), `${own} ${other}`).toBeLessThanOrEqual(0.5)
      expect(Math.sign(parse(difference)), `${own} ${other}`).toBe(Math.sign(own - other))
      for (const [text, rate] of [
        [candidate, own],
        [baseline, other],
      ] as const) {
        if (parse(text) === 100) expect(rate).toBe(1)
        if (parse(text) === 0) expect(rate).toBe(0)
      }
    }
  })
})

test.each([
  [0.01, '+1 point'],
  [-0.01, '-1 point'],
  [0, '0 points'],
  [0.11, '+11 points'],
])('%d is %s', (difference, text) => expect(formatPoints(difference)).toBe(text))
