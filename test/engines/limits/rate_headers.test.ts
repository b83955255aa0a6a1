/** What is left of a limit, and until when: by the headers of both APIs, and by the words of a refusal. */
import { expect, test } from 'vitest'
import {
  parseResetMs,
  readAllowance,
  readLimitResetMs,
  readRetryAfter,
} from '../../../src/engines/limits/rate_headers.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

const anthropic = {
  'anthropic-ratelimit-requests-limit': '50',
  'anthropic-ratelimit-requests-remaining': '7',
  'anthropic-ratelimit-requests-reset': '2026-11-21T12:00:30Z',
}
const openai = (reset: string) => ({
  'x-ratelimit-limit-requests': '60',
  'x-ratelimit-remaining-requests': '59',
  'x-ratelimit-reset-requests': reset,
})
const requests = { limit: 60, remaining: 59 }

test.each([
  ['nothing', {}, null],
  ['Anthropic, requests', anthropic, { requests: { limit: 50, remaining: 7, resetMs: 30_000 }, tokens: [] }],
  [
    'Anthropic, tokens of a kind, past their reset',
    {
      'anthropic-ratelimit-output-tokens-remaining': '0',
      'anthropic-ratelimit-output-tokens-reset': '2026-11-21T11:59:00Z',
    },
    { requests: null, tokens: [{ limit: null, remaining: 0, resetMs: 0 }] },
  ],
  ['OpenAI, 6m0s', openai('6m0s'), { requests: { ...requests, resetMs: 360_000 }, tokens: [] }],
  ['OpenAI, 1h1.5s', openai('1h1.5s'), { requests: { ...requests, resetMs: 3_601_500 }, tokens: [] }],
  ['OpenAI, a number', openai('2.5'), { requests: { ...requests, resetMs: 2500 }, tokens: [] }],
  [
    'OpenAI, a moment in seconds or milliseconds since 1970',
    openai(String(now / 1000 + 90)),
    { requests: { ...requests, resetMs: 90_000 }, tokens: [] },
  ],
  [
    "Anthropic, by the server's clock where ours goes wrong",
    { ...anthropic, date: 'Sat, 21 Nov 2026 12:00:20 GMT' },
    { requests: { limit: 50, remaining: 7, resetMs: 10_000 }, tokens: [] },
  ],
  ['a reset that is none', openai('soon'), null],
  ['a remaining that is none', { ...anthropic, 'anthropic-ratelimit-requests-remaining': 'many' }, null],
  ['an empty remaining', { ...anthropic, 'anthropic-ratelimit-requests-remaining': '' }, null],
])('%s', (_, headers, expected) => expect(readAllowance(new Headers(headers), now)).toEqual(expected))

test.each([
  ['nothing', {}, null],
  ['seconds', { 'retry-after': '2.5' }, 2500],
  ['milliseconds first', { 'retry-after': '9', 'retry-after-ms': '20' }, 20],
  ['a date', { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
  [
    "a date by the server's clock",
    { 'retry-after': 'Sat, 21 Nov 2026 11:00:30 GMT', date: 'Sat, 21 Nov 2026 11:00:00 GMT' },
    30_000,
  ],
  ['a moment in seconds since 1970', { 'retry-after': String(now / 1000 + 90) }, 90_000],
  ['a moment in milliseconds since 1970', { 'retry-after': String(now + 90_000) }, 90_000],
  ['0, which says nothing of how long', { 'retry-after': '0' }, null],
  ['a date that has passed', { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, null],
])('Retry-After: %s', (_, headers, expected) => expect(readRetryAfter(new Headers(headers), now)).toBe(expected))

test.each<[string, Record<string, string>, number | null]>([
  ['none', {}, null],
  ['a moment', { 'anthropic-ratelimit-requests-reset': '2026-11-21T13:00:00Z' }, 3_600_000],
  ['seconds since 1970', { 'x-ratelimit-reset': String(now / 1000 + 60) }, 60_000],
  ['the last of several', { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '20s' }, 20_000],
  ['of a limit of which something is left', { ...openai('6m0s') }, null],
  ['that has passed', { 'anthropic-ratelimit-requests-reset': '2026-11-21T11:00:00Z' }, null],
  [
    "a subscription's, not those of its windows",
    {
      'anthropic-ratelimit-unified-reset': String(now / 1000 + 60),
      'anthropic-ratelimit-unified-7d-reset': String(now / 1000 + 600_000),
    },
    60_000,
  ],
])('a refusal with reset headers: %s', (_, headers, ms) => expect(readLimitResetMs(new Headers(headers), now)).toBe(ms))

// 12:00 in UTC, 13:00 in Berlin, 04:00 in Los Angeles; a Wednesday
const wednesday = new Date('2026-11-25T12:00:00Z')
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

test.each<[string, number | null]>([
  ['Claude AI usage limit reached|1795611600', 1 * hour],
  ["You've hit your session limit · resets 3pm (Europe/Berlin)", 2 * hour],
  ["You've hit your limit · resets 3am (America/Los_Angeles)", 23 * hour],
  ["You've hit your limit · resets 12:30pm (UTC)", 30 * minute],
  ['5-hour limit reached ∙ resets 12am (UTC)', 12 * hour],
  ["You've hit your weekly limit · resets Nov 28 at 9am (UTC)", 2 * day + 21 * hour],
  ["You've hit your weekly limit · resets Jan 2 at 12pm (UTC)", 38 * day],
  ['Weekly limit reached · resets Mon 12:00 AM (UTC)', 4 * day + 12 * hour],
  ["You've hit your usage limit. Try again at Nov 27th, 2026 3:14 PM (UTC).", 2 * day + 3 * hour + 14 * minute],
  ["You've hit your usage limit. Try again in 3 days 4 hours 12 minutes.", 3 * day + 4 * hour + 12 * minute],
  ['Rate limit reached for gpt-5.5. Please try again in 6m0s.', 6 * minute],
  ['Please try again in 1.5s.', 1.5 * second],
  ['Please try again in 20ms.', 20],
  ["You've hit your limit · resets 3am (Nowhere/Else)", null],
  ['Claude AI usage limit reached|1764072000', null],
  ["You've hit your usage limit. Try again later.", null],
  ['You have 5 resets 3 left', null],
  ['', null],
])('%s', (message, expected) => expect(parseResetMs(message, wednesday)).toBe(expected))

test('without a zone it is the clock of this machine', () => {
  const at = new Date(wednesday)
  at.setHours(at.getHours() + 2, 30, 0, 0)
  const text = `${at.getHours()}:${String(at.getMinutes()).padStart(2, '0')}`
  expect(parseResetMs(`limit reached, resets ${text}`, wednesday)).toBe(at.getTime() - wednesday.getTime())
})
