/** The lines of a dry run on what the planned runs can detect: one run is "1 run". */
import { expect, test } from 'vitest'
import { designLines } from '../../../../src/cli/commands/bench/design_lines.ts'

const neededLine = (needed: number, cases: number) =>
  designLines({
    plan: { options: { runs: 3 } },
    detectable: { power: 0.8, cases, these_cases: 0.5, cases_like_these: null },
    needed: { detect: 0.5, runs: needed, cases: null },
  })[1]

test.each([
  [1, 20, '1 run of each of these 20 cases per configuration (80% power)'],
  [2, 20, '2 runs of each of these 20 cases per configuration (80% power)'],
  [1, 1, '1 run of this case per configuration (80% power)'],
])('%d of %d', (needed, cases, expected) =>
  expect(neededLine(needed, cases)).toBe(`needed    for a difference of 50 points: ${expected}`),
)

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
