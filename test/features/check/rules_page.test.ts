/** The page of the rules of `check` has all of them. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { allRules } from '../../../src/features/check/trial_rules.ts'

describe('docs/reference/check.md', () => {
  const page = readFileSync(new URL('../../../docs/reference/check.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([\w-]+)` +\| (\w+) +\| (\w*) +\| (\w*) +\| (.*?) +\|$/gm)].map((row) =>
    row.slice(1),
  )
  test('lists every rule as the code has it', () =>
    expect(rows).toEqual(
      allRules.map(({ id, severity, stops_bench, skips_eval, about }) => {
        return [id, severity, stops_bench ? 'refuses' : '', skips_eval ? 'skips' : '', about]
      }),
    ))
  test('ids are unique', () => expect(new Set(allRules.map(({ id }) => id)).size).toBe(allRules.length))
})
