/** A purse never grants more than its limit; estimates come from what is most alike. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Budget, openBudget, reserve, settle } from '../../../src/jobs/budget/budget.ts'
import { estimateAmount, Samples } from '../../../src/jobs/budget/estimate.ts'

const amount = fc.double({ min: 0, max: 10, noNaN: true })
const jobs = fc.array(fc.record({ estimate: amount, actual: amount }), { minLength: 1, maxLength: 60 })

/** Starts jobs in order, at most `width` at once, ends them in some order; `grants` decides. */
function simulate(
  all: readonly { estimate: number; actual: number }[],
  of: { limit: number; width: number; grants: (purse: Budget, estimate: number) => Budget | null },
) {
  let purse = openBudget(of.limit)
  let inFlight: { estimate: number; actual: number }[] = []
  let excess = 0
  const end = () => {
    const [first, ...rest] = inFlight
    if (first === undefined) return
    excess += Math.max(0, first.actual - first.estimate)
    purse = settle(purse, first.estimate, first.actual)
    inFlight = rest
  }
  for (const job of all) {
    while (inFlight.length >= of.width) end()
    const next = of.grants(purse, job.estimate)
    if (next === null) break
    purse = next
    inFlight.push(job)
  }
  const atRefusal = { spent: purse.spent, inFlight: inFlight.reduce((sum, { actual }) => sum + actual, 0) }
  while (inFlight.length > 0) end()
  return { purse, excess, atRefusal }
}

describe('a purse', () => {
  test('what is spent and set aside never passes the limit when it grants', () => {
    fc.assert(
      fc.property(jobs, fc.double({ min: 0.1, max: 50, noNaN: true }), (all, limit) => {
        let purse = openBudget(limit)
        for (const { estimate } of all) {
          const next = reserve(purse, estimate)
          if (next === null) continue
          expect(next.spent + next.reserved).toBeLessThanOrEqual(limit * (1 + 1e-8))
          purse = next
        }
      }),
    )
  })
  test('spent is at most the limit plus what work in flight took beyond its estimate', () => {
    fc.assert(
      fc.property(
        jobs,
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        fc.integer({ min: 1, max: 8 }),
        (all, limit, width) => {
          const { purse, excess } = simulate(all, { limit, width, grants: reserve })
          expect(purse.spent).toBeLessThanOrEqual(limit + excess + 1e-6)
          expect(purse.reserved).toBeCloseTo(0, 6)
        },
      ),
    )
  })
  const exact = Array.from({ length: 30 }, () => ({ estimate: 1, actual: 1 }))
  test('with right estimates it spends the limit and not more', () => {
    expect(simulate(exact, { limit: 10, width: 8, grants: reserve }).purse.spent).toBe(10)
  })
  test('negative control: without setting aside it spends more', () => {
    const blind = (purse: Budget) => (purse.spent < purse.limit ? purse : null)
    expect(simulate(exact, { limit: 10, width: 8, grants: blind }).purse.spent).toBeGreaterThan(10)
  })
  test('ten at $0.10 fit into $1; an empty one grants nothing, not even 0', () => {
    const ten = Array.from({ length: 11 }, () => ({ estimate: 0.1, actual: 0.1 }))
    expect(simulate(ten, { limit: 1, width: 11, grants: reserve }).purse.spent).toBeCloseTo(1, 9)
    expect(reserve(settle(openBudget(1), 0, 1), 0)).toBeNull()
  })
  test.each([Number.NaN, -1])('an amount of %s is a bug', (bad) => {
    expect(() => reserve(openBudget(1), bad)).toThrow(RangeError)
    expect(() => settle(openBudget(1), 0, bad)).toThrow(RangeError)
  })
})

describe('an estimate', () => {
  const of = (...amounts: [string, number][]) => new Samples(amounts.map(([key, value]) => ({ key, amount: value })))
  test.each<[string, Samples, Samples, number | null]>([
    ['the same now', of(['a', 1], ['a', 3], ['b', 9]), of(['a', 5]), 2],
    ['the same earlier', of(['b', 9]), of(['a', 5]), 5],
    ['anything now', of(['b', 9]), of(['c', 5]), 9],
    ['anything earlier', of(), of(['c', 5], ['d', 7]), 6],
    ['nothing', of(), of(), null],
  ])('comes from %s', (_what, now, earlier, expected) => expect(estimateAmount('a', now, earlier)).toBe(expected))
})
