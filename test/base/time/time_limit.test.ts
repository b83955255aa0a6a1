/** A time limit rings whatever is collected meanwhile, goes with what it follows, and leaves nothing behind. */
import { spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { startActiveTimeout, startActiveTimer } from '../../../src/base/time/active_time.ts'
import { startTimeLimit } from '../../../src/base/time/time_limit.ts'

test('rings though everything that nobody holds is collected before', async () => {
  setFlagsFromString('--expose-gc')
  const collecting = setInterval(runInNewContext('gc'), 20)
  using limit = startTimeLimit(200, [new AbortController().signal])
  await once(limit.signal, 'abort')
  clearInterval(collecting)
  expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'no end within 0.2 s' })
})

test('waits do not count', async () => {
  const start = performance.now()
  let waited = 0
  using limit = startTimeLimit(5, [], { waitedMs: () => waited, what: ' of work' })
  waited = 150
  await once(limit.signal, 'abort')
  expect(performance.now() - start).toBeGreaterThan(waited)
  expect(limit.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'no end within 0.005 s of work' })
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

test('a limit of active time that was disposed of does not ring', async () => {
  let hasRung = false
  startActiveTimeout(20, () => {
    hasRung = true
  })[Symbol.dispose]()
  await sleep(100)
  expect(hasRung).toBe(false)
})

test('a timer of active time rings by what is left, which may grow', async () => {
  const until = { at: performance.now() + 50 }
  const rung = new Promise<number>((resolve) => {
    startActiveTimer({ left: () => until.at - performance.now(), ring: () => resolve(performance.now()) })
  })
  until.at += 200
  expect(await rung).toBeGreaterThanOrEqual(until.at)
})

test('active time keeps no program running', async () => {
  const code = `import { activeNow } from '${path.join(import.meta.dirname, '../../../dist/src/base/time/active_time.js')}'; activeNow()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' })
  expect((await once(child, 'exit'))[0]).toBe(0)
})
