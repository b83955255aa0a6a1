/** Values nested without end: found before anything goes through them level by level. */
import { describe, expect, test } from 'vitest'
import { parseJson, tryParseJson } from '../../../src/base/json/json.ts'
import { getRedactor } from '../../../src/base/secrets/redact.ts'
import { toJsonValue } from '../../../src/engines/answers/json_value.ts'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const inObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe.each([
  ['lists', nested],
  ['objects', inObjects],
])('%s', (_what, text) => {
  test.each([201, 2000, 100_000])('%i levels are too many', (levels) => {
    expect(() => parseJson(text(levels), 'x.json')).toThrow('x.json: nested deeper than 200 levels')
    expect(tryParseJson(text(levels))).toBeUndefined()
    expect(toJsonValue(JSON.parse(text(levels)))).toBe('(nested deeper than 200 levels)')
  })
  test('200 are not', () => {
    const value = JSON.parse(text(200))
    expect([parseJson(text(200), 'x.json'), tryParseJson(text(200)), toJsonValue(value)]).toEqual([value, value, value])
  })
})

test('many brackets side by side, or in a text, are no depth', () => {
  const value = [Array.from({ length: 5000 }, () => [{}]), nested(5000)]
  expect(parseJson(JSON.stringify(value), 'x.json')).toEqual(value)
})

test('what lies too deep to be looked through for keys is left out', () => {
  const clean = getRedactor({}).value(JSON.parse(`[${nested(20_000)}, "kept"]`))
  expect(JSON.stringify(clean)).toMatch(/\[redacted:what is nested too deep\].*"kept"/)
})
