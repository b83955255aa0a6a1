/** A time limit rings whatever is collected meanwhile, goes with what it follows, and leaves nothing behind. */
import { getEventListeners, once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { startTimeLimit } from '../../../src/base/time/time_limit.ts'

test('rings though everything that nobody holds is collected before', async () => {
  setFlagsFromString('--expose-gc')
  const collecting = setInterval(runInNewContext('gc'), 20)
  using limit = startTimeLimit(200, [new AbortController().signal])
  await once(limit.signal, 'abort')
  clearInterval(collecting)
  expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'no end within 0.2 s' })
})

test('a limit longer than any timer does not ring at once', async () => {
  using limit = startTimeLimit(Number.POSITIVE_INFINITY)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(limit.signal.aborted).toBe(false)
})

test('goes with what it follows, and lets go of it', () => {
  const [followed, lasting] = [new AbortController(), new AbortController()]
  {
    using limit = startTimeLimit(60_000, [followed.signal, lasting.signal])
    followed.abort('stopped by the user')
    expect(limit.signal.reason).toBe('stopped by the user')
    expect(getEventListeners(lasting.signal, 'abort')).toHaveLength(1)
  }
  expect(getEventListeners(lasting.signal, 'abort')).toEqual([])
})

test('has rung where one of them had', () => {
  using limit = startTimeLimit(60_000, [AbortSignal.abort('before')])
  expect(limit.signal.reason).toBe('before')
})
