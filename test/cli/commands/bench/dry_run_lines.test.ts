/** The lines of a dry run: when adaptive stopping is advised against, and what runs and gradings may cost. */
import { expect, test } from 'vitest'
import { designLines } from '../../../../src/cli/commands/bench/plan_lines.ts'
import { estimateLines } from '../../../../src/cli/commands/bench/print_plans.ts'

test.each([
  { cases: 4, runs: 5, advised: 10 },
  { cases: 20, runs: 3, advised: 8 },
  { cases: 1, runs: 20, advised: 40 },
  { cases: 4, runs: 10, advised: null },
  { cases: 20, runs: 8, advised: null },
])('adaptive stopping of $cases cases with at most $runs runs: advised $advised', ({ cases, runs, advised }) => {
  const detectable = { power: 0.8, cases, these_cases: 0.5, cases_like_these: null }
  const lines = (until: 'decided' | undefined) =>
    designLines({ plan: { options: { runs, ...(until && { until }) } }, detectable, needed: null }).slice(1)
  const text = `note      --until decided with at most ${runs} runs per case saves little and finds less: use --max-runs ${advised} or more, or --runs ${runs}`
  expect(lines('decided')).toEqual(advised === null ? [] : [text])
  expect(lines(undefined)).toEqual([])
})

test('an estimate names runs and gradings, each with its amount', () => {
  const usage = { usd: null, tokens: 10, seconds: 1 }
  const estimated = {
    workspace: 'ws',
    plan: { options: {} },
    estimate: {
      ...usage,
      arms: [{ configuration: 'with_skill', runs: 3, ...usage }],
      judge: { gradings: 3, usd: 0.5, tokens: 1 },
      ...{ from_runs: 3, done: 0, reused: 0, again: 0 },
    },
  }
  expect(estimateLines(estimated as never, 4)[1]?.trim()).toBe('3 with_skill unknown cost · 3 gradings $0.50')
})
