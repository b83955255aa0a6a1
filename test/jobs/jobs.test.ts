/** The local executor is bounded, goes on after errors and can be drained; retries wait as asked. */

import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backoffDelay, withRetry } from '../../src/base/time/retry.ts'
import { type JobSlot, runLocal } from '../../src/jobs/local_executor.ts'

const never = new AbortController().signal

/** Gives one after another. */
function each<T>(all: readonly T[]): () => T | null {
  const left = [...all]
  return () => left.shift() ?? null
}

describe('runLocal', () => {
  test('never runs more than the concurrency, and all of them', async () => {
    let now = 0
    let most = 0
    let done = 0
    const jobs = Array.from({ length: 20 }, () => async () => {
      now += 1
      most = Math.max(most, now)
      await sleep(2)
      now -= 1
      done += 1
    })
    await runLocal(each(jobs), { concurrency: 3, drain: never, signal: never })
    expect({ most, done }).toEqual({ most: 3, done: 20 })
  })
  test('an error does not stop the others and is given back', async () => {
    const order: number[] = []
    const job = (n: number) => async () => {
      if (n === 1) throw new Error('one')
      order.push(n)
    }
    const { errors } = await runLocal(each([0, 1, 2].map(job)), { concurrency: 1, drain: never, signal: never })
    expect(order).toEqual([0, 2])
    expect(errors).toEqual([new Error('one')])
  })
  test('after drain nothing new starts, what runs ends', async () => {
    const drain = new AbortController()
    const ended: number[] = []
    const job = (n: number) => async () => {
      drain.abort()
      await sleep(5)
      ended.push(n)
    }
    const next = each([0, 1, 2].map(job))
    await runLocal(next, { concurrency: 1, drain: drain.signal, signal: never })
    expect({ ended, isLeft: next() !== null }).toEqual({ ended: [0], isLeft: true })
  })
  test('a job that gave its place back tidies up beside the next ones, which are twice the places at most', async () => {
    const now = { working: 0, all: 0 }
    const most = { working: 0, all: 0 }
    const count = (change: Partial<typeof now>) => {
      now.working += change.working ?? 0
      now.all += change.all ?? 0
      most.working = Math.max(most.working, now.working)
      most.all = Math.max(most.all, now.all)
    }
    const job = async (slot: JobSlot) => {
      count({ working: 1, all: 1 })
      await sleep(2)
      count({ working: -1 })
      slot.release()
      slot.release()
      await sleep(20)
      count({ all: -1 })
    }
    await runLocal(each(Array.from({ length: 12 }, () => job)), { concurrency: 2, drain: never, signal: never })
    expect(most).toEqual({ working: 2, all: 4 })
  })
  test('a place that is taken again is waited for', async () => {
    const order: string[] = []
    const first = async (slot: JobSlot) => {
      await slot.take()
      order.push('first')
      slot.release()
      await sleep(5)
      await slot.take()
      order.push('first again')
    }
    const second = async () => {
      order.push('second')
      await sleep(20)
      order.push('second ends')
    }
    await runLocal(each([first, second]), { concurrency: 1, drain: never, signal: never })
    expect(order).toEqual(['first', 'second', 'second ends', 'first again'])
  })
})

describe('withRetry', () => {
  const results = (...retries: ({ afterMs: number | null } | null)[]) => {
    const asked: number[] = []
    const attempt = async (number: number) => {
      asked.push(number)
      return { retry: retries[number - 1] ?? null, number }
    }
    return { asked, attempt }
  }
  const quick = { signal: never, baseMs: 1, random: () => 0 }

  test('stops at the first result that asks for none', async () => {
    const { asked, attempt } = results({ afterMs: null }, null, null)
    expect(await withRetry(attempt, { ...quick, retries: 5 })).toMatchObject({ number: 2 })
    expect(asked).toEqual([1, 2])
  })
  test('gives the last result when retries are used up', async () => {
    const { asked, attempt } = results({ afterMs: null }, { afterMs: null }, { afterMs: null })
    expect(await withRetry(attempt, { ...quick, retries: 1 })).toMatchObject({ number: 2 })
    expect(asked).toEqual([1, 2])
  })
  test('a server that asks for more than an hour is not asked again', async () => {
    const { asked, attempt } = results({ afterMs: 9_999_999_000 }, null)
    expect(await withRetry(attempt, { ...quick, retries: 5 })).toMatchObject({ number: 1 })
    expect(asked).toEqual([1])
  })
  test('a wait is cut by abort', async () => {
    const stop = new AbortController()
    const { attempt } = results({ afterMs: 60_000 })
    const run = withRetry(attempt, { retries: 1, signal: stop.signal })
    stop.abort(new Error('stopped'))
    await expect(run).rejects.toThrow('stopped')
  })
  test('waits are never under what the server asked and never over the cap', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.option(fc.integer({ min: 0, max: 1e6 })),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, after, random) => {
          const wait = backoffDelay(n, after, { baseMs: 1000, capMs: 60_000, random: () => random })
          expect(wait).toBeGreaterThanOrEqual(after ?? 0)
          expect(wait).toBeLessThanOrEqual((after ?? 0) + 60_000)
        },
      ),
    )
  })
})
