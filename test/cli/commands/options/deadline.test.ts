/** What a user writes as a deadline, and what is none. */
import { describe, expect, test } from 'vitest'
import { parseDeadline, startCountdown } from '../../../../src/cli/commands/options/limit_flags.ts'

const now = new Date(2026, 10, 21, 14, 30)
const local = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute)

describe('a deadline', () => {
  test.each<[string, Date]>([
    ['30m', local(21, 15)],
    ['1h30m', local(21, 16)],
    ['90s', new Date(now.getTime() + 90_000)],
    ['1d', local(22, 14, 30)],
    ['18:00', local(21, 18)],
    ['9:05', local(22, 9, 5)],
    ['14:30', local(22, 14, 30)],
    ['2026-11-21T18:00', local(21, 18)],
    ['2026-11-25T18:00Z', new Date('2026-11-25T18:00:00Z')],
    ['2026-11-25T18:00:30+02:00', new Date('2026-11-25T16:00:30Z')],
  ])('%s', (text, moment) => expect(parseDeadline(text, now)).toEqual(moment))
  test.each([
    ['', 'expected a time'],
    ['30', 'expected a time'],
    ['m', 'expected a time'],
    ['25:00', 'expected a time'],
    ['tomorrow', 'expected a time'],
    ['2026-13-41', 'expected a time'],
    ['0m', 'has passed'],
    ['2026-11-20T18:00Z', 'has passed'],
    ['2027-11-20T18:00Z', 'more than 24 days'],
  ])('%j is none', (text, message) => expect(() => parseDeadline(text, now)).toThrow(message))
})

test('what is left of a time from now goes down by itself; a time of day or a moment has none', () => {
  const left = startCountdown('1h30m')?.() ?? 0
  expect(left).toBeLessThanOrEqual(5_400_000)
  expect(left).toBeGreaterThan(5_390_000)
  expect(['18:00', '2026-11-25T18:00Z'].map(startCountdown)).toEqual([null, null])
})
