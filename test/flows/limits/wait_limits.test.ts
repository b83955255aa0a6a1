/** When waits end: time in which everything waits is counted, progress sets it back, a time that a provider named is waited for once. */
import { describe, expect, test } from 'vitest'
import { createWait } from '../../../src/base/rate_limit_slot.ts'
import type { TrackedWork } from '../../../src/flows/flow_context.ts'
import { type WaitExceeded, WaitLimit, type WaitStatus } from '../../../src/flows/limits/wait_limits.ts'

/** A limit of 100 s whose clock stands until it is moved; every second is looked at. */
function limited({ leftMs = () => null }: { leftMs?: (now: number) => number | null } = {}) {
  let now = 0
  const said: (WaitStatus | 'resumed')[] = []
  const over: WaitExceeded[] = []
  const limit = new WaitLimit({
    maxWaitMs: 100_000,
    leftMs: () => leftMs(now),
    onWait: (waiting) => said.push(waiting),
    onResume: () => said.push('resumed'),
    onOver: (end) => over.push(end),
    now: () => now,
  })
  const pass = (seconds: number) => {
    for (let at = 0; at < seconds * 2; at += 1) {
      now += 500
      limit.look()
    }
  }
  const block = (work: TrackedWork, seconds: number | null = null) =>
    work.block(createWait('busy', seconds === null ? null : seconds * 1000, () => now))
  /** One jump of the clock, as of a process that was stopped. */
  const jump = (seconds: number) => {
    now += seconds * 1000
    limit.look()
  }
  return { limit, said, over, pass, block, jump, [Symbol.dispose]: () => limit[Symbol.dispose]() }
}

describe('waits without a named end', () => {
  test('end after the limit', () => {
    using it = limited()
    it.block(it.limit.begin())
    it.pass(99)
    expect(it.over).toEqual([])
    it.pass(2)
    expect(it.over).toMatchObject([{ reason: 'max_wait', why: 'busy', works: 1, namedMs: null }])
    it.pass(500)
    expect(it.over).toHaveLength(1)
  })
  test('are not counted while one piece of work works', () => {
    using it = limited()
    it.block(it.limit.begin())
    const other = it.limit.begin()
    it.pass(500)
    expect(it.over).toEqual([])
    it.block(other)
    it.pass(101)
    expect(it.over).toHaveLength(1)
  })
  test('count again from nothing after progress', () => {
    using it = limited()
    const [one, other] = [it.limit.begin(), it.limit.begin()]
    for (let round = 0; round < 10; round += 1) {
      it.block(one)
      it.block(other)
      it.pass(90)
      one.progress()
    }
    expect(it.over).toEqual([])
  })
  test('an end of work that was given up is no progress, one of its own is', () => {
    using it = limited()
    const [gaveUp, other] = [it.limit.begin(), it.limit.begin()]
    it.block(gaveUp)
    it.block(other)
    it.pass(60)
    gaveUp[Symbol.dispose]()
    it.pass(41)
    expect(it.over).toHaveLength(1)
    using next = limited()
    const [done, waits] = [next.limit.begin(), next.limit.begin()]
    next.block(waits)
    next.block(done)
    next.pass(60)
    done.unblock()
    done[Symbol.dispose]()
    next.pass(60)
    expect(next.over).toEqual([])
  })
  test('the first bytes of an answer that fails again are no progress', () => {
    using it = limited()
    const work = it.limit.begin()
    for (let round = 0; round < 11; round += 1) {
      it.block(work)
      it.pass(10)
      work.unblock()
      it.pass(1)
    }
    expect(it.over).toHaveLength(1)
  })
  test('a new run that is refused at once is no progress', () => {
    using it = limited()
    for (let round = 0; round < 11; round += 1) {
      const work = it.limit.begin()
      it.block(work)
      it.pass(10)
      work[Symbol.dispose]()
    }
    expect(it.over).toHaveLength(1)
  })
  test('a wait in line counts like a refusal, until it is over', () => {
    using it = limited()
    const work = it.limit.begin()
    const end = work.wait(createWait('its turn', null))
    it.pass(60)
    end()
    it.pass(60)
    expect(it.over).toEqual([])
    work.wait(createWait('its turn', null))
    it.pass(41)
    expect(it.over).toMatchObject([{ why: 'its turn' }])
  })
  test('work that is idle holds nothing up until its first request', () => {
    using it = limited()
    it.block(it.limit.begin())
    const idle = it.limit.begin(true)
    it.pass(60)
    idle.start()
    it.pass(60)
    expect(it.over).toEqual([])
    it.block(idle)
    it.pass(41)
    expect(it.over).toHaveLength(1)
  })
  test('time in which the process was stopped does not count', () => {
    using it = limited()
    it.block(it.limit.begin())
    it.jump(5000)
    expect(it.over).toEqual([])
    it.pass(101)
    expect(it.over).toHaveLength(1)
  })
})

describe('a time that the provider named', () => {
  test('is waited for, however long; then the limit begins', () => {
    using it = limited()
    it.block(it.limit.begin(), 3600)
    it.pass(3600)
    expect(it.over).toEqual([])
    it.pass(99)
    expect(it.over).toEqual([])
    it.pass(3)
    expect(it.over).toMatchObject([{ reason: 'max_wait' }])
  })
  test('that follows another one without progress is not waited for', () => {
    using it = limited()
    const work = it.limit.begin()
    it.block(work, 3600)
    it.pass(3601)
    it.block(work, 3600)
    it.pass(102)
    expect(it.over).toMatchObject([{ reason: 'max_wait', namedMs: expect.any(Number) }])
  })
  test('is waited for again after progress', () => {
    using it = limited()
    const work = it.limit.begin()
    it.block(work, 3600)
    it.pass(3601)
    work.progress()
    it.block(work, 3600)
    it.pass(3601)
    expect(it.over).toEqual([])
  })
  test('a server that names a short time for ever is not waited for longer', () => {
    using it = limited()
    const work = it.limit.begin()
    for (let round = 0; round < 26; round += 1) {
      it.block(work, 4)
      it.pass(4)
    }
    expect(it.over).toMatchObject([{ reason: 'max_wait' }])
  })
  test('after the deadline ends everything at once', () => {
    using it = limited({ leftMs: (now) => 600_000 - now })
    it.block(it.limit.begin(), 3600)
    it.pass(1)
    expect(it.over).toMatchObject([{ reason: 'reset_too_late' }])
  })
  test.each([
    ['it is before the deadline', 300, null],
    ['another piece of work has no such time', 3600, 'unnamed'],
    ['another piece of work works', 3600, 'works'],
  ])('does not end anything at once where %s', (_, seconds, other) => {
    using it = limited({ leftMs: (now) => 600_000 - now })
    it.block(it.limit.begin(), seconds)
    if (other !== null) {
      const work = it.limit.begin()
      if (other === 'unnamed') it.block(work)
    }
    it.pass(30)
    expect(it.over).toEqual([])
  })
})

describe('what is said', () => {
  test('once when everything has waited for five seconds, and when it is over', () => {
    using it = limited()
    const work = it.limit.begin()
    it.block(work)
    it.pass(4)
    expect(it.said).toEqual([])
    it.pass(30)
    expect(it.said).toMatchObject([{ why: 'busy', works: 1, namedMs: null, endsMs: expect.any(Number) }])
    work.progress()
    it.pass(1)
    expect(it.said.slice(1)).toEqual(['resumed'])
  })
  test('with the named time, and no end before it', () => {
    using it = limited()
    it.block(it.limit.begin(), 3600)
    it.pass(10)
    expect(it.said).toMatchObject([{ namedMs: expect.any(Number), endsMs: null }])
  })
})
