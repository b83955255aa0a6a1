/** What the headers of a response say of the account's limits: Anthropic's and OpenAI's, and Retry-After. */
import type { Allowance, Quota } from '../base/slot.ts'

/** null: they say nothing. */
export function allowanceOf(headers: Headers, now = Date.now()): Allowance | null {
  const anthropic = (what: string) =>
    quota(
      headers,
      (field) => `anthropic-ratelimit-${what}-${field}`,
      (text) => Date.parse(text) - now,
    )
  const openai = (what: string) => quota(headers, (field) => `x-ratelimit-${field}-${what}`, spanOf)
  const requests = anthropic('requests') ?? openai('requests')
  const tokens = [anthropic('tokens'), anthropic('input-tokens'), anthropic('output-tokens'), openai('tokens')].filter(
    (one) => one !== null,
  )
  return requests === null && tokens.length === 0 ? null : { requests, tokens }
}

function quota(headers: Headers, nameOf: (field: string) => string, msOf: (text: string) => number): Quota | null {
  const number = (text: string | null) => (text === null || text.trim() === '' ? Number.NaN : Number(text))
  const remaining = number(headers.get(nameOf('remaining')))
  const resetMs = msOf(headers.get(nameOf('reset')) ?? '')
  if (!Number.isFinite(remaining) || !Number.isFinite(resetMs)) return null
  const limit = number(headers.get(nameOf('limit')))
  return { remaining, limit: Number.isFinite(limit) ? limit : null, resetMs: Math.max(0, resetMs) }
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A span such as `6m0s`, `1.5s` or `20ms`, a plain number being seconds; NaN: none. */
function spanOf(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) return Number.NaN
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0)
}

/** Milliseconds of Retry-After (seconds or a date); null when there is none. */
export function retryAfter(headers: Headers | undefined, now = Date.now()): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds)
  const text = headers?.get('retry-after')
  if (!text) return null
  const seconds = Number(text)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - now
  return Number.isNaN(wait) ? null : Math.max(0, wait)
}
