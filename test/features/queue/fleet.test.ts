/** The workers of a queue beside a page of `view`. */
import { describe, expect, test } from 'vitest'
import { computeFleetRates } from '../../../src/features/queue/fleet.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'

describe('rates of a fleet', () => {
  const at = (seconds: number, done: Record<string, number>) => ({
    at: seconds * 1000,
    done: new Map(Object.entries(done)),
  })
  test('are runs a minute between the first and the last look', () => {
    expect(computeFleetRates([])).toBeNull()
    expect(computeFleetRates([at(0, { a: 1 })])).toBeNull()
    expect(computeFleetRates([at(0, { a: 1 }), at(10, { a: 2 }), at(30, { a: 4 })])).toEqual(new Map([['a', 6]]))
  })
  test('a new worker counts from 0; one that left or restarted never counts below 0', () => {
    expect(computeFleetRates([at(0, { a: 5, b: 9 }), at(60, { a: 2, c: 3 })])).toEqual(
      new Map([
        ['a', 0],
        ['c', 3],
      ]),
    )
  })
})

test('--queue without --serve is a mistake', async () => {
  const end = await runMain(['view', fresh(), '--queue', 'redis://127.0.0.1:1', '--no-open'])
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('--queue without --serve') })
})
