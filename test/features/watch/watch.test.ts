/** The page of a watch: newest night first, each with its date, and a grid of shares behind the level. */
import { expect, test } from 'vitest'
import type { Watch, WatchBaseline, WatchedNight } from '../../../schemas/watch.ts'
import { computeDetectionChance } from '../../../src/features/watch/dry_run.ts'
import { watchHtml } from '../../../src/features/watch/watch_state.ts'
import { watchTable } from '../../../src/features/watch/watch_text.ts'

const night = { planned: 1, runs: [{ eval_id: 1, score: 0.5 }], folder: 'n', model: 'm', cost_usd: null, alarm: false }
const nights: WatchedNight[] = ['2026-01-15T02:00:00Z', '2026-01-16T02:00:00Z'].map((at, index) => ({
  ...{ ...night, at, level: 0.5, expected: index === 0 ? null : 0.9, p_value: 0.5, e_value: 1.25, evidence: 1.25 },
}))
const watch: Watch = { schema_version: 1, quiet_nights: 730, detect: 0.15, status: 'quiet', since: null, nights }
const of = { skill: { name: 'tidy', sha256: 'a' }, engine: { name: 'codex', model: null } }
const baseline = { of, model: 'm', cases: [{}], runs: [{ eval_id: 1, score: 0.9 }] } as unknown as WatchBaseline

test('two quiet nights', () => {
  expect(watchTable(watch).rows).toEqual([
    ['2', '2026-01-16', '1', '50%', '90%', '1.3', '–', ''],
    ['1', '2026-01-15', '1', '50%', '–', '1.3', '–', ''],
  ])
  const page = watchHtml(baseline, watch)
  expect(page).toContain('Quiet: 50% in night 2, 90% expected; evidence of a fall 1.3 of 730.')
  const [level = ''] = page.match(/<svg[\s\S]*?<\/svg>/) ?? []
  const shares = [...level.matchAll(/text-anchor="end">([^<]*)</g)].map(([, share]) => share)
  expect(shares).toEqual(['0%', '25%', '50%', '75%', '100%'])
})

test('the chance of finding a fall grows with the fall and the nights', () => {
  const design = {
    rates: Array.from({ length: 10 }, () => 0.9),
    baselineRuns: 20,
    runsPerNight: 12,
    limit: 730,
    detect: 0.15,
  }
  const chances = [0.05, 0.15, 0.3].map((fall) => computeDetectionChance({ ...design, nights: 7, fall }))
  expect(chances).toEqual([...chances].sort((a, b) => a - b))
  expect(chances.at(-1)).toBeGreaterThan(0.9)
})
