/** Requests take a slot each and give it back, whatever their end; refusals wait at the gate; a silent server is left. */
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createLimitedFetch, SilentServerError } from '../../../src/engines/limits/rate_limited_fetch.ts'
import { Account, openRateLimiter, toHeldBack } from '../../../src/engines/limits/rate_limiter.ts'
import { serveHttp } from '../stage.ts'

type Answer = (response: ServerResponse, number: number) => void

/** A server that gives this answer to request number n, from 1. */
async function serve(answer: Answer) {
  let count = 0
  const server = await serveHttp((_, response) => {
    count += 1
    answer(response, count)
  })
  return { url: `${server.url}/`, asked: () => count, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

function gated(idleMs = 5000) {
  const account = new Account({ start: 4, random: () => 0, baseMs: 1 })
  const gate = openRateLimiter(account, idleMs)
  return { account, gate, send: createLimitedFetch(gate) }
}

const ok: Answer = (response) => response.end('fine')
const refuse = (response: ServerResponse, headers = {}) => response.writeHead(429, headers).end('{"error":"slow"}')

describe('a slot', () => {
  test.each<[string, Answer, (url: string, send: typeof fetch) => Promise<unknown>]>([
    ['an answer', ok, async (url, send) => (await send(url)).text()],
    ['an answer without a body', (response) => response.writeHead(204).end(), (url, send) => send(url)],
    ['no connection', (response) => response.destroy(), (url, send) => send(url).catch(() => {})],
    [
      'a body cut short',
      (response) => response.writeHead(200, { 'content-length': 99 }).write('x', () => response.destroy()),
      async (url, send) => (await send(url)).text().catch(() => {}),
    ],
    ['a body that nobody wants', ok, async (url, send) => (await send(url)).body?.cancel()],
    [
      'an abort while nobody reads',
      (response) => response.writeHead(200).write('x'),
      async (url, send) => {
        const stop = new AbortController()
        await send(url, { signal: stop.signal })
        stop.abort()
      },
    ],
  ])('is given back after %s', async (_, answer, ask) => {
    await using server = await serve(answer)
    const { account, send } = gated()
    await ask(server.url, send)
    expect(account.inFlight).toBe(0)
    expect(server.asked()).toBe(1)
  })
  test('is held until the body has ended', async () => {
    const held: { response?: ServerResponse } = {}
    await using server = await serve((response) => {
      held.response = response
      response.writeHead(200).write('begun')
    })
    const { account, send } = gated()
    const response = await send(server.url)
    expect(account.inFlight).toBe(1)
    held.response?.end('. ended')
    expect(await response.text()).toBe('begun. ended')
    expect(account.inFlight).toBe(0)
  })
})

describe('a refusal', () => {
  test('is sent again until it is served, however often', async () => {
    await using server = await serve((response, n) => (n <= 12 ? refuse(response) : response.end('at last')))
    const { gate, send } = gated()
    expect(await (await send(server.url)).text()).toBe('at last')
    expect(gate.refusals).toBe(12)
  })
  test('with Retry-After is waited for, and the wait is known', async () => {
    await using server = await serve((response, n) =>
      n === 1 ? refuse(response, { 'retry-after': '1' }) : response.end('x'),
    )
    const { gate, send } = gated()
    await send(server.url)
    expect(gate.waitedMs).toBeGreaterThanOrEqual(990)
    expect(server.asked()).toBe(2)
  })
  test.each<[string, Answer, idleMs?: number]>([
    ['is not what it is said to be', (response) => response.writeHead(429, { 'content-encoding': 'gzip' }).end('no')],
    ['never comes', (response) => response.writeHead(429, { 'content-length': 99 }).flushHeaders(), 1000],
  ])('whose body %s is a refusal like another', async (_, refusal, idleMs) => {
    await using server = await serve((response, n) => (n < 3 ? refusal : ok)(response, n))
    const { account, gate, send } = gated(idleMs)
    expect(await (await send(server.url)).text()).toBe('fine')
    expect(server.asked()).toBe(3)
    expect(gate.refusals).toBe(2)
    expect(account.limit).toBe(1)
    expect(account.inFlight).toBe(0)
  })
  test('that no wait mends is handed on', async () => {
    await using server = await serve((response) =>
      response.writeHead(429).end('{"error":{"code":"insufficient_quota"}}'),
    )
    const response = await gated().send(server.url)
    expect([response.status, await response.text()]).toEqual([429, expect.stringContaining('insufficient_quota')])
  })
  test('ends with the abort of who waits', async () => {
    await using server = await serve((response) => refuse(response, { 'retry-after': '60' }))
    const stop = new AbortController()
    const { account, send } = gated()
    account.onChange(() => stop.abort(new Error('enough')))
    await expect(send(server.url, { signal: stop.signal })).rejects.toThrow('enough')
    expect(account.inFlight).toBe(0)
  })
  test('control: at an open gate it is handed on at once', async () => {
    await using server = await serve((response) => refuse(response))
    const response = await createLimitedFetch(openRateLimiter(null))(server.url)
    expect(response.status).toBe(429)
    expect(server.asked()).toBe(1)
  })
})

describe('a wait for leave', () => {
  const busy = () => {
    const until = performance.now() + 20
    while (performance.now() < until);
  }
  test('is none where it was given at once, however busy this process is', async () => {
    const { gate } = gated()
    const entering = gate.enter(new AbortController().signal)
    busy()
    await entering
    expect(toHeldBack(gate)).toBeNull()
  })
  test('control: one that somebody else has to end first counts', async () => {
    const gate = openRateLimiter(new Account({ start: 1 }))
    const { signal } = new AbortController()
    const first = await gate.enter(signal)
    const entering = gate.enter(signal)
    busy()
    first.end({ as: 'served' })
    await entering
    expect(toHeldBack(gate)?.waited_ms).toBeGreaterThanOrEqual(20)
  })
})

test('the headers are told to the account: nothing starts while nothing is left', async () => {
  const reset = () => ({ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '30s' })
  await using server = await serve((response) => response.writeHead(200, reset()).end('x'))
  const { account, send } = gated()
  await (await send(server.url)).text()
  await expect(account.enter(AbortSignal.timeout(50))).rejects.toThrow()
})

describe('a server that says nothing', () => {
  test.each<[string, Answer]>([
    ['at all', () => {}],
    ['after it began', (response) => response.writeHead(200).write('x')],
  ])('%s is left, and the silence is no working time', async (_, answer) => {
    await using server = await serve(answer)
    const { account, gate, send } = gated(60)
    await expect(send(server.url).then((response) => response.text())).rejects.toThrow(SilentServerError)
    expect(account.inFlight).toBe(0)
    expect(gate.waitedMs).toBeGreaterThanOrEqual(60)
  })
  test('control: one that goes on saying something is not', async () => {
    await using server = await serve((response) => {
      let said = 0
      response.writeHead(200)
      const timer = setInterval(() => {
        response.write('.')
        said += 1
        if (said < 8) return
        clearInterval(timer)
        response.end()
      }, 50)
    })
    expect(await (await gated(300).send(server.url)).text()).toBe('........')
  })
})
