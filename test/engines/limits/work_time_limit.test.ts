/** The limit on work: waits do not count. What it shares with every time limit is in base/time/time_limit.test.ts. */
import { getEventListeners, once } from 'node:events'
import { expect, test } from 'vitest'
import { startWorkLimit } from '../../../src/engines/limits/work_time_limit.ts'

const long = 60_000

test('rings when the time is up, with a reason that names the seconds', async () => {
  using limit = startWorkLimit(5, () => 0)
  await once(limit.signal, 'abort')
  expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'no end within 0.005 s of work' })
})

test('waits do not count', async () => {
  const start = performance.now()
  const waits = 150
  using limit = startWorkLimit(5, () => Math.min(waits, performance.now() - start))
  await once(limit.signal, 'abort')
  expect(performance.now() - start).toBeGreaterThan(waits)
})

test.each([0, 1])('rings with signal %i of those it follows, for the same reason', (which) => {
  const followed = [new AbortController(), new AbortController()]
  using limit = startWorkLimit(long, () => 0, [...followed.map(({ signal }) => signal)])
  expect(limit.signal.aborted).toBe(false)
  followed[which]?.abort('stopped by the user')
  expect([limit.signal.aborted, limit.signal.reason]).toEqual([true, 'stopped by the user'])
})

test('its end leaves no listener on a signal that outlives it', () => {
  const { signal } = new AbortController()
  {
    using limit = startWorkLimit(long, () => 0, [signal])
    expect([limit.signal.aborted, getEventListeners(signal, 'abort').length]).toEqual([false, 1])
  }
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('as many follow one signal as work at once, without a warning', async () => {
  const warned: string[] = []
  const hear = ({ name }: Error) => warned.push(name)
  process.on('warning', hear)
  const [lasting, control] = [new AbortController(), new AbortController()]
  const limits = Array.from({ length: 40 }, () => startWorkLimit(long, () => 0, [lasting.signal]))
  await new Promise(setImmediate)
  expect(warned).toEqual([])
  for (let count = 0; count < 40; count += 1) control.signal.addEventListener('abort', () => {})
  await new Promise(setImmediate)
  expect(warned).toEqual(['MaxListenersExceededWarning']) // negative control: of a signal that nothing follows so
  process.off('warning', hear)
  for (const limit of limits) limit[Symbol.dispose]()
})
