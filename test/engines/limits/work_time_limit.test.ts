/** The limit on work: waits do not count. What it shares with every time limit is in base/time/time_limit.test.ts. */
import { once } from 'node:events'
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
