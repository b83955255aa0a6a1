/** Correction for the judge's errors: no interval is inverted or misses its rate, on a grid of all that can come. */
import { expect, test } from 'vitest'
import { correctForJudge } from '../../../../src/features/audit/reliability.ts'
import { correctDifference } from '../../../../src/phases/4-report/stats/scores/judge_corrections.ts'

const shares = [0, 0.1, 0.3, 0.5, 0.6, 0.8, 0.95, 1]
const counts = [1, 2, 10, 50]

const samples = shares.flatMap((specificity) =>
  shares.flatMap((sensitivity) =>
    counts.flatMap((negatives) => counts.map((positives) => ({ specificity, sensitivity, negatives, positives }))),
  ),
)

function isSound({ low, high }: { low: number; high: number }, held: number, [least, most]: [number, number]): boolean {
  return least <= low && low <= held && held <= high && high <= most
}

test('a rate lies in its interval, and that between 0 and 1, on every point of the grid', () => {
  const points = samples.flatMap((judge) =>
    shares.flatMap((rate) =>
      [1, 12, 200].map((n) => ({ rate, n, judge, found: correctForJudge({ rate, n, alpha: 0.05 }, judge) })),
    ),
  )
  const corrected = points.flatMap(({ found, ...at }) => (found === null ? [] : [{ ...at, found }]))
  expect(corrected.length).toBeGreaterThan(5_000)
  expect(corrected.filter(({ found }) => !isSound(found, found.rate, [0, 1]))).toEqual([])
  // a judge that is better than chance both as seen and smoothed is never refused
  const wrongly = points.filter(({ found, judge }) => found === null && judge.sensitivity + judge.specificity > 1.99)
  expect(wrongly).toEqual([])
})

test('so does a difference, between −1 and 1', () => {
  const rates = [0, 0.3, 0.95, 1]
  const found = samples.flatMap((sample, index) =>
    rates.flatMap((a) =>
      rates.map((b) => {
        const other = samples[(index * 7) % samples.length] ?? sample
        const byConfiguration = index % 2 === 0 ? null : { a: sample, b: other }
        const part = (rate: number) => ({ judged: 1, judgedMet: rate, otherMet: 0, judgedRuns: 12, otherRuns: 0 })
        const judged = { mean: a - b, low: Math.max(-1, a - b - 0.2), high: Math.min(1, a - b + 0.2) }
        const parts = { candidate: part(a), baseline: part(b) }
        const errors = { pooled: sample, byConfiguration }
        return correctDifference({ parts, judged, errors, arms: { candidate: 'a', baseline: 'b' }, alpha: 0.05 })
      }),
    ),
  )
  const corrected = found.flatMap((one) => one ?? [])
  expect(corrected.length).toBeGreaterThan(5_000)
  expect(corrected.filter((one) => !isSound(one, one.mean, [-1, 1]))).toEqual([])
})

const runs = { judged: 1, otherMet: 0, judgedRuns: 12, otherRuns: 0 }
const judged = { mean: 0.3, low: 0.1, high: 0.5 }
const arms = { candidate: 'with', baseline: 'without' }
const parts = { candidate: { ...runs, judgedMet: 0.7 }, baseline: { ...runs, judgedMet: 0.4 } }
const half = { sensitivity: 0.75, specificity: 0.75, positives: 40, negatives: 40 }

test('equal errors shrink a difference by sensitivity + specificity − 1', () => {
  const errors = { pooled: half, byConfiguration: null }
  expect(correctDifference({ parts, judged, errors, arms, alpha: 0.05 })?.mean).toBeCloseTo(0.3 / 0.5, 12)
})

test('the worked example of docs/how-to/audit.md: a lenient judge of one configuration invents 20 points', () => {
  const same = { candidate: { ...runs, judgedMet: 0.7 }, baseline: { ...runs, judgedMet: 0.5 } }
  const strict = { sensitivity: 0.9, specificity: 0.9, positives: 40, negatives: 40 }
  const lenient = { ...strict, specificity: 0.5 }
  const correct = (byConfiguration: { with: typeof strict; without: typeof strict } | null, pooled = strict) =>
    correctDifference({
      parts: same,
      judged: { mean: 0.2, low: 0.1, high: 0.3 },
      errors: { pooled, byConfiguration },
      arms,
      alpha: 0.05,
    })
  expect(correct({ with: lenient, without: strict })?.mean).toBeCloseTo(0, 12)
  expect(correct(null, { ...strict, specificity: 0.7 })?.mean).toBeCloseTo(0.2 / 0.6, 12)
})

test('labels that are shared add less to the interval of a difference than labels of each configuration', () => {
  const width = (byConfiguration: Record<string, typeof half> | null) => {
    const found = correctDifference({ parts, judged, errors: { pooled: half, byConfiguration }, arms, alpha: 0.05 })
    return (found?.high ?? 0) - (found?.low ?? 0)
  }
  expect(width(null)).toBeLessThan(width({ with: half, without: half }))
  expect(width(null)).toBeGreaterThan((judged.high - judged.low) / 0.55)
})

test('what code decided is not corrected: without a judge the interval is that of the runs', () => {
  const code = (otherMet: number) => ({ judged: 0, judgedMet: 0, otherMet, judgedRuns: 0, otherRuns: 12 })
  const errors = { pooled: half, byConfiguration: null }
  const found = correctDifference({
    ...{ parts: { candidate: code(0.7), baseline: code(0.4) }, judged, errors, arms, alpha: 0.05 },
  })
  expect(found?.mean).toBeCloseTo(0.3, 12)
  expect(found?.low).toBeCloseTo(0.1, 12)
  expect(found?.high).toBeCloseTo(0.5, 12)
})
