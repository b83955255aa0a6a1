/** The summary is arithmetic: laws that hold for every list of verdicts. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gradingSummary } from '../../../schemas/grading.ts'
import { summarize } from '../../../src/phases/3-judge/summary.ts'

const verdicts = fc.array(fc.record({ passed: fc.boolean() }))

test('passed and failed add up to total, which is their number', () => {
  fc.assert(
    fc.property(verdicts, (list) => {
      const { passed, failed, total } = summarize(list)
      expect([passed + failed, total]).toEqual([list.length, list.length])
      expect(passed).toBe(list.filter((one) => one.passed).length)
    }),
  )
})
test('the rate is passed ÷ total, 1 only if all passed, 0 only if none did, and fits the schema', () => {
  fc.assert(
    fc.property(verdicts, (list) => {
      const summary = summarize(list)
      expect(gradingSummary.safeParse(summary).success).toBe(true)
      if (list.length > 0) expect(Math.abs(summary.pass_rate - summary.passed / list.length)).toBe(0)
      expect(summary.pass_rate === 1).toBe(list.length > 0 && summary.failed === 0)
      expect(summary.pass_rate === 0).toBe(summary.passed === 0)
    }),
  )
})
test('order does not matter, and one more pass never lowers the rate', () => {
  fc.assert(
    fc.property(verdicts, (list) => {
      expect(summarize([...list].reverse())).toEqual(summarize(list))
      expect(summarize([...list, { passed: true }]).pass_rate).toBeGreaterThanOrEqual(summarize(list).pass_rate)
    }),
  )
})
test.each([
  [0, 0, 0],
  [1, 3, 1 / 3],
  [2, 3, 2 / 3],
  [7, 7, 1],
])('%i of %i is %d', (passed, total, rate) => {
  const list = Array.from({ length: total }, (_, index) => ({ passed: index < passed }))
  expect(summarize(list)).toEqual({ passed, failed: total - passed, total, pass_rate: rate })
})
