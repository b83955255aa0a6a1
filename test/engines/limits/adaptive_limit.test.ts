/** The limiter finds what an account bears and keeps below it, in virtual time. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SlotEnd } from '../../../src/base/rate_limit_slot.ts'
import { RateLimit, type RateSlot } from '../../../src/engines/limits/adaptive_limit.ts'
import { figures, play, type World } from './rate_world.ts'

const served = { as: 'served' } as const
const refused = { as: 'refused', retryAfterMs: null } as const
const failed = { as: 'failed' } as const

/** A limiter whose slots are all taken. */
function full(start: number) {
  const rate = new RateLimit({ start, random: () => 0.5 })
  return { rate, slots: fill(rate) }
}

function fill(rate: RateLimit, now = 0): RateSlot[] {
  const slots: RateSlot[] = []
  for (let slot = rate.admit(now); slot !== null; slot = rate.admit(now)) slots.push(slot)
  return slots
}

function endAll(rate: RateLimit, slots: readonly RateSlot[], how: SlotEnd) {
  for (const slot of slots) rate.end(slot, how, 0)
}

/** Ends each slot and fills the place at once, as clients do that always want more. */
function serveFull(rate: RateLimit, slots: readonly RateSlot[], now = 0): RateSlot[] {
  return slots.flatMap((slot) => {
    rate.end(slot, served, now)
    return fill(rate, now)
  })
}

describe('slow start', () => {
  test('doubles with each round until the first refusal, then no more', () => {
    const { rate, slots } = full(4)
    const second = serveFull(rate, slots)
    expect(rate.limit).toBe(8)
    serveFull(rate, second)
    expect(rate.limit).toBe(16)
  })
  test('after a refusal it grows back to what was borne, and then by one after a few rounds', () => {
    const { rate, slots } = full(10)
    rate.end(slots[0] as RateSlot, refused, 0)
    expect(rate.limit).toBe(8)
    endAll(rate, slots, served)
    let open = fill(rate)
    const limits = [rate.limit]
    for (let answers = 0; answers < 60; answers += 1) {
      rate.end(open[0] as RateSlot, served, 0)
      open = [...open.slice(1), ...fill(rate)]
      if (rate.limit !== limits.at(-1)) limits.push(rate.limit)
    }
    expect(limits.slice(0, 3)).toEqual([8, 9, 10])
  })
})

describe('a refusal', () => {
  test('cuts once for all that were in flight', () => {
    const { rate, slots } = full(100)
    endAll(rate, slots, refused)
    expect(rate.limit).toBe(85)
  })
  test('cuts again when a request from after the cut is refused', () => {
    const { rate, slots } = full(100)
    endAll(rate, slots, refused)
    endAll(rate, fill(rate, 10_000), refused)
    expect(rate.limit).toBe(72)
  })
  test('with Retry-After pauses the account so long', () => {
    const { rate, slots } = full(8)
    rate.end(slots[0] as RateSlot, { as: 'refused', retryAfterMs: 5000 }, 1000)
    endAll(rate, slots.slice(2), served)
    expect(rate.admit(5999)).toBeNull()
    expect(rate.opensAt(1000)).toBeGreaterThanOrEqual(6000)
    expect(rate.admit(rate.opensAt(1000))).not.toBeNull()
    rate.end(slots[1] as RateSlot, { as: 'refused', retryAfterMs: 9000 }, 1000)
    expect(rate.opensAt(1000)).toBe(10_000) // of those in flight only the first brings a random part
  })
  test('pauses longer and longer while nothing is served, up to a minute; a served one ends that', () => {
    const rate = new RateLimit({ start: 1, random: () => 1 })
    const pauses: number[] = []
    for (let now = 0; pauses.length < 12; ) {
      rate.end(rate.admit(now) as RateSlot, refused, now)
      const opens = rate.opensAt(now)
      pauses.push(opens - now)
      now = opens
    }
    expect(pauses).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    rate.end(rate.admit(1e9) as RateSlot, served, 1e9)
    rate.end(rate.admit(1e9) as RateSlot, refused, 1e9)
    expect(rate.opensAt(1e9)).toBe(1e9)
  })
})

test('a failure of the server never moves the limit', () => {
  const { rate, slots } = full(20)
  endAll(rate, slots, failed)
  expect(rate.limit).toBe(20)
})

test('a limit that is not used to the full does not grow', () => {
  const rate = new RateLimit({ start: 4 })
  for (let turn = 0; turn < 100; turn += 1) {
    const slots = [rate.admit(0), rate.admit(0), rate.admit(0)].filter((slot) => slot !== null)
    endAll(rate, slots, served)
  }
  expect(rate.limit).toBe(4)
})

describe('what the headers say is left', () => {
  test('no more requests start than are left, until some are there again', () => {
    const { rate, slots } = full(8)
    rate.heard(slots[7] as RateSlot, { requests: { remaining: 2, limit: 10, resetMs: 8000 }, tokens: [] }, 0)
    endAll(rate, slots, failed)
    expect(fill(rate, 0)).toHaveLength(2)
    expect(fill(rate, 999)).toHaveLength(0)
    expect(fill(rate, 1000).length).toBeGreaterThan(0)
  })
  test('requests that the answer could not know of are taken off', () => {
    const { rate, slots } = full(8)
    rate.heard(slots[5] as RateSlot, { requests: { remaining: 3, limit: 10, resetMs: 8000 }, tokens: [] }, 0)
    endAll(rate, slots, failed)
    expect(fill(rate, 0)).toHaveLength(1)
  })
  test('without tokens nothing starts until a tenth is there again', () => {
    const { rate, slots } = full(2)
    const spent = { remaining: 0, limit: 1000, resetMs: 60_000 }
    expect(rate.heard(slots[0] as RateSlot, { requests: null, tokens: [spent] }, 0)).toMatchObject({ why: 'used_up' })
    endAll(rate, slots, failed)
    expect(rate.admit(5999)).toBeNull()
    expect(rate.admit(6000)).not.toBeNull()
  })
})

const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('start' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which: fc.nat(200),
      how: fc.oneof(
        { weight: 6, arbitrary: fc.constant<SlotEnd>(served) },
        { weight: 2, arbitrary: fc.constant<SlotEnd>(failed) },
        {
          weight: 2,
          arbitrary: fc.record({
            as: fc.constant('refused' as const),
            retryAfterMs: fc.option(fc.integer({ min: 0, max: 100_000 })),
          }),
        },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(30_000) }) },
)

describe('whatever happens', () => {
  test('its laws hold', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 400 }), fc.integer({ min: 1, max: 40 }), (commands, start) => {
        const rate = new RateLimit({ start, random: () => 0.5 })
        const open: RateSlot[] = []
        let now = 0
        let pausedUntil = 0
        let cutAt = 0
        let given = 0
        for (const one of commands) {
          const before = { limit: rate.limit, inFlight: rate.inFlight }
          if (one.do === 'wait') now += one.ms
          else if (one.do === 'start') {
            const slot = rate.admit(now)
            expect(slot === null).toBe(before.inFlight >= before.limit || now < rate.opensAt(now))
            if (slot === null) continue
            expect(now).toBeGreaterThanOrEqual(pausedUntil)
            open.push(slot)
            given += 1
          } else {
            const [slot] = open.splice(one.which % Math.max(1, open.length), 1)
            if (slot === undefined) continue
            rate.end(slot, one.how, now)
            expect(rate.inFlight).toBe(open.length)
            if (one.how.as === 'failed') expect(rate.limit).toBe(before.limit)
            if (one.how.as === 'served') {
              expect(rate.limit).toBeGreaterThanOrEqual(before.limit)
              if (before.inFlight < before.limit) expect(rate.limit).toBe(before.limit)
            }
            if (one.how.as === 'refused') {
              expect(rate.limit).toBeLessThanOrEqual(before.limit)
              if (slot.number < cutAt) expect(rate.limit).toBe(before.limit)
              else cutAt = given
              pausedUntil = Math.max(pausedUntil, now + (one.how.retryAfterMs ?? 0))
            }
          }
          expect(rate.limit).toBeGreaterThanOrEqual(1)
        }
        // it recovers from anything, once it is served to the full
        const goal = Math.max(rate.limit, 50)
        for (const slot of open) rate.end(slot, failed, now)
        now += 1e8
        let more = fill(rate, now)
        for (let answers = 0; answers < 20_000 && rate.limit < goal; answers += 1) {
          rate.end(more[0] as RateSlot, served, now)
          more = [...more.slice(1), ...fill(rate, now)]
        }
        expect(rate.limit).toBeGreaterThanOrEqual(goal)
      }),
      { numRuns: 300 },
    )
  })
})

const steady = (bears: number, retryAfterMs: number | null): World => ({
  bears: () => bears,
  latency: (n) => 200 + ((n * 7919) % 401),
  retryAfterMs,
  clients: 300,
  ends: 120_000,
})

describe('against a server with a hidden limit', () => {
  test.each([1, 2, 4, 8, 20, 60, 200].flatMap((bears) => [null, 0, 1000].map((after) => [bears, after] as const)))(
    'of %i at once, Retry-After %s: at least 90 %% of it is used, and under 5 %% of the answers are refusals',
    (bears, after) => {
      const world = steady(bears, after)
      const { goodput, refusals } = figures(world, play(world), 20_000, world.ends)
      expect(goodput).toBeGreaterThan(0.9)
      expect(refusals).toBeLessThan(0.05)
    },
  )
  test.each([
    [null, 10_000],
    [1000, 25_000],
  ])(
    'that is raised to the fourfold, Retry-After %s: found within %i ms, whatever was refused just before',
    (after, ms) => {
      const world = { ...steady(0, after), bears: (now: number) => (now < 20_000 ? 24 : now < 40_000 ? 8 : 32) }
      const { goodput } = figures(world, play(world), 40_000 + ms, 40_000 + ms + 20_000)
      expect(goodput).toBeGreaterThan(0.9)
    },
  )
  test('that moves: it is found again after each move', () => {
    const world = { ...steady(0, null), bears: (now: number) => (now < 40_000 ? 40 : now < 80_000 ? 15 : 60) }
    const seen = play(world)
    for (const from of [10_000, 50_000, 90_000]) {
      const { goodput, refusals } = figures(world, seen, from, from + 30_000)
      expect(goodput, `from ${from}`).toBeGreaterThan(0.9)
      expect(refusals, `from ${from}`).toBeLessThan(0.05)
    }
  })
  test('control: a fixed number at once storms', () => {
    const settings = { start: 60, cut: 1, most: 60 }
    const world = { ...steady(20, null), fixed: true, ends: 8000, settings }
    expect(figures(world, play(world), 2000, world.ends).refusals).toBeGreaterThan(0.5)
  })
})
