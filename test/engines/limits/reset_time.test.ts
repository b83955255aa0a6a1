/** The time at which a limit ends, from the words of a refusal. */
import { expect, test } from 'vitest'
import { parseResetMs } from '../../../src/engines/limits/reset_time.ts'

// 12:00 in UTC, 13:00 in Berlin, 04:00 in Los Angeles; a Wednesday
const now = new Date('2026-11-25T12:00:00Z')
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

test.each<[string, number | null]>([
  ['Claude AI usage limit reached|1795611600', 1 * hour],
  ["You've hit your session limit · resets 3pm (Europe/Berlin)", 2 * hour],
  ["You've hit your limit · resets 3am (America/Los_Angeles)", 23 * hour],
  ["You've hit your limit · resets 12:30pm (UTC)", 30 * minute],
  ['5-hour limit reached ∙ resets 12am (UTC)', 12 * hour],
  ['Your limit will reset at 5pm (UTC).', 5 * hour],
  ["You've hit your weekly limit · resets Nov 28 at 9am (UTC)", 2 * day + 21 * hour],
  ["You've hit your weekly limit · resets Nov 28, 9am (UTC)", 2 * day + 21 * hour],
  ["You've hit your weekly limit · resets Jan 2 at 12pm (UTC)", 38 * day],
  ['Weekly limit reached · resets Mon 12:00 AM (UTC)', 4 * day + 12 * hour],
  ["You've hit your usage limit. Try again at Nov 27th, 2026 3:14 PM (UTC).", 2 * day + 3 * hour + 14 * minute],
  ["You've hit your usage limit. Try again in 3 days 4 hours 12 minutes.", 3 * day + 4 * hour + 12 * minute],
  ["You've hit your usage limit. Upgrade, or try again in 2 hours and 1 minute.", 2 * hour + minute],
  ['Rate limit reached for gpt-5.5. Please try again in 6m0s.', 6 * minute],
  ['Please try again in 1.5s.', 1.5 * second],
  ['Please try again in 20ms.', 20],
  ["You've hit your limit · resets 3am (Nowhere/Else)", null],
  ['Claude AI usage limit reached|1764072000', null],
  ['API Error: Request rejected (429)', null],
  ["You've hit your usage limit. Try again later.", null],
  ['You have 5 resets 3 left', null],
  ['', null],
])('%s', (message, expected) => expect(parseResetMs(message, now)).toBe(expected))

test('without a zone it is the clock of this machine', () => {
  const at = new Date(now)
  at.setHours(at.getHours() + 2, 30, 0, 0)
  const text = `${at.getHours()}:${String(at.getMinutes()).padStart(2, '0')}`
  expect(parseResetMs(`limit reached, resets ${text}`, now)).toBe(at.getTime() - now.getTime())
})
