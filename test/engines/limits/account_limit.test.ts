/** Those who share an account wait in one line; who is aborted leaves it. */
import { describe, expect, test } from 'vitest'
import { Account, getAccount } from '../../../src/engines/limits/rate_limiter.ts'

const never = new AbortController().signal
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('an account', () => {
  test('lets in as many as its limit, the others in their order, who was refused first', async () => {
    const account = new Account({ start: 1 })
    const order: string[] = []
    const enter = async (name: string, again = false) => {
      const slot = await account.enter(never, again)
      order.push(name)
      return slot
    }
    const first = await enter('first')
    const second = enter('second')
    const third = enter('third', true)
    await settled()
    expect(order).toEqual(['first'])
    account.end(first, { as: 'failed' })
    account.end(await third, { as: 'failed' })
    account.end(await second, { as: 'failed' })
    expect(order).toEqual(['first', 'third', 'second'])
    expect(account.inFlight).toBe(0)
  })
  test('a slot is given back once, however often it is ended', async () => {
    const account = new Account({ start: 2 })
    const [one] = [await account.enter(never), await account.enter(never)]
    account.end(one, { as: 'failed' })
    account.end(one, { as: 'failed' })
    expect(account.inFlight).toBe(1)
  })
  test('who is aborted leaves the line, and nobody behind waits for it', async () => {
    const account = new Account({ start: 1 })
    const slot = await account.enter(never)
    const gone = new AbortController()
    const aborted = account.enter(gone.signal)
    const behind = account.enter(never)
    gone.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    account.end(slot, { as: 'served' })
    expect(await behind).toBeDefined()
    await expect(account.enter(AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  })
  test('a pause ends by itself', async () => {
    const account = new Account({ start: 1 })
    account.end(await account.enter(never), { as: 'refused', retryAfterMs: 20 })
    expect(await account.enter(never)).toBeDefined()
  })
  test('a pause that ends while the line is looked at keeps nobody waiting', async () => {
    let now = 0
    let step = 0
    const account = new Account({ start: 1, random: () => 0 }, () => {
      now += step
      return now
    })
    const slot = await account.enter(never)
    account.end(slot, { as: 'refused', retryAfterMs: 20 })
    now = 19.5 // the pause ends at 20, between this look and the next
    step = 0.4
    const waiting = account.enter(never)
    now = 21
    const late = new Promise((resolve) => setTimeout(resolve, 500, 'still waiting'))
    expect(await Promise.race([waiting, late])).not.toBe('still waiting')
  })
  test('who comes when a pause has just ended is behind those who waited', async () => {
    let now = 0
    const account = new Account({ start: 1 }, () => now)
    account.end(await account.enter(never), { as: 'refused', retryAfterMs: 1000 })
    const first = account.enter(never, true)
    now = 5000
    expect(account.enter(never, true)).toBeInstanceOf(Promise)
    expect(await first).toBeDefined()
  })
  test('tells of cuts and pauses', async () => {
    const account = new Account({ start: 10, random: () => 0 })
    const told: unknown[] = []
    const stop = account.onChange((change) => told.push(change))
    const slots = await Promise.all(Array.from({ length: 10 }, () => account.enter(never)))
    for (const slot of slots) account.end(slot, { as: 'refused', retryAfterMs: null })
    stop()
    expect(told).toEqual([{ limit: 8, pauseMs: 0, why: 'refused' }])
  })
})

test('one account for each provider, address and credential', () => {
  const id = { provider: 'anthropic', baseUrl: 'https://a.example', secret: 'one' }
  expect(getAccount({ ...id, baseUrl: 'https://a.example/' })).toBe(getAccount(id))
  expect(getAccount({ ...id, secret: 'two' })).not.toBe(getAccount(id))
  expect(getAccount({ ...id, provider: 'openai' })).not.toBe(getAccount(id))
})
