/** The summary is arithmetic: laws that hold for every list of verdicts. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gradedExpectation, gradingSummary } from '../../../../schemas/grading.ts'
import type { RatedVerdict } from '../../../../schemas/pass_rate.ts'
import { summarizeGrading } from '../../../../src/phases/3-judge/grade/decisions.ts'

const verdicts = fc.array(fc.record({ passed: fc.boolean() }))

test('passed and failed add up to total, which is their number', () => {
  fc.assert(
    fc.property(verdicts, (list) => {
      const { passed, failed, total } = summarizeGrading(list)
      expect([passed + failed, total]).toEqual([list.length, list.length])
      expect(passed).toBe(list.filter((one) => one.passed).length)
    }),
  )
})
test('the rate is passed ÷ total, 1 only if all passed, 0 only if none did, and fits the schema', () => {
  fc.assert(
    fc.property(verdicts, (list) => {
      const summary = summarizeGrading(list)
      expect(gradingSummary.safeParse(summary).success).toBe(true)
      if (list.length > 0) expect(Math.abs(summary.pass_rate - summary.passed / list.length)).toBe(0)
      expect(summary.pass_rate === 1).toBe(list.length > 0 && summary.failed === 0)
      expect(summary.pass_rate === 0).toBe(summary.passed === 0)
    }),
  )
})
test.each<[string, readonly RatedVerdict[], [passed: number, total: number, rate: number]]>([
  ['a weight counts as often', [{ passed: true, weight: 3 }, { passed: false }], [1, 2, 0.75]],
  ['a score counts instead of the verdict', [{ passed: false, score: 0.4 }, { passed: true }], [1, 2, 0.7]],
  [
    'both',
    [
      { passed: false, score: 0.5, weight: 2 },
      { passed: true, weight: 2 },
    ],
    [1, 2, 0.75],
  ],
  [
    'a diagnostic is in no number',
    [
      { passed: false, score: 0.3 },
      { passed: true, diagnostic: true },
    ],
    [0, 1, 0.3],
  ],
  ['diagnostics alone: nothing is decided', [{ passed: true, diagnostic: true }], [0, 0, 0]],
  [
    'huge weights',
    [
      { passed: true, weight: Number.MAX_VALUE },
      { passed: false, weight: Number.MAX_VALUE },
    ],
    [1, 2, 0.5],
  ],
])('%s', (_what, list, [passed, total, rate]) => {
  expect(summarizeGrading(list)).toMatchObject({ passed, total, failed: total - passed })
  expect(summarizeGrading(list).pass_rate).toBeCloseTo(rate, 12)
})
test.each([{ weight: 0 }, { weight: -1 }, { weight: Number.POSITIVE_INFINITY }, { score: 1.5 }, { score: -0.1 }])(
  '%j is refused',
  (mark) => {
    const verdict = { text: 't', passed: true, evidence: '' }
    expect(gradedExpectation.safeParse(verdict).success).toBe(true)
    expect(gradedExpectation.safeParse({ ...verdict, ...mark }).success).toBe(false)
  },
)
test('the rate lies between the scores, and no scale of the weights changes it', () => {
  const weighted = fc.record({
    passed: fc.boolean(),
    weight: fc.integer({ min: 1, max: 9 }),
    score: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(weighted, { minLength: 1 }), (list) => {
      const { pass_rate: rate } = summarizeGrading(list)
      const scores = list.map(({ score }) => score)
      expect(rate).toBeGreaterThanOrEqual(Math.min(...scores) - 1e-12)
      expect(rate).toBeLessThanOrEqual(Math.max(...scores) + 1e-12)
      const scaled = list.map((one) => ({ ...one, weight: one.weight * 0.1 }))
      expect(summarizeGrading(scaled).pass_rate).toBeCloseTo(rate, 12)
    }),
  )
})
