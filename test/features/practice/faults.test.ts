/** What goes wrong on purpose, as the official SDK sees it, and when. */
import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { drawDelay } from '../../../src/features/practice/scenario/delay.ts'
import { MovingLimit } from '../../../src/features/practice/scenario/request_limits.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { hashToUnit } from '../../../src/features/practice/scenario/seed.ts'
import { type Bench, openBench, textIn } from './bench.ts'

const params = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'x' }] }

/** What n requests in a row get: the answer's text, or the error's status. */
async function inARow(bench: Bench, n: number): Promise<string[]> {
  const got: string[] = []
  for (let at = 0; at < n; at += 1) {
    const one = bench.say('x').then(textIn, (error) => String(error instanceof Anthropic.APIError && error.status))
    got.push(await one)
  }
  return got
}

describe('a status', () => {
  test.each([
    [401, Anthropic.AuthenticationError, 'authentication_error'],
    [429, Anthropic.RateLimitError, 'rate_limit_error'],
    [500, Anthropic.InternalServerError, 'api_error'],
    [529, Anthropic.InternalServerError, 'overloaded_error'],
  ])('%d is the SDK error of its kind, streamed or not', async (status, kind, type) => {
    await using bench = await openBench(`{ rules: [{ name: a, text: x }], faults: [{ status: ${status} }] }`)
    for (const stream of [false, true]) {
      const error = await bench.client.messages.create({ ...params, stream }).then(
        () => null,
        (thrown) => thrown,
      )
      expect(error).toBeInstanceOf(kind)
      expect(error).toMatchObject({ status, error: { error: { type } } })
    }
    expect(bench.server.requests[0]).toMatchObject({ status, fault: `status ${status}`, rule: null })
  })
})

describe('when a fault strikes', () => {
  test.each([
    ['always', '', ['500', '500', '500', '500', '500', '500']],
    ['first', ', first: 2', ['500', '500', 'ok', 'ok', 'ok', 'ok']],
    ['after', ', after: 4', ['ok', 'ok', 'ok', 'ok', '500', '500']],
    ['every', ', every: 3', ['ok', 'ok', '500', 'ok', 'ok', '500']],
    ['together', ', every: 2, after: 2, first: 4', ['ok', 'ok', 'ok', '500', 'ok', 'ok']],
    ['another path', ", path: '^/v1/models'", ['ok', 'ok', 'ok', 'ok', 'ok', 'ok']],
  ])('%s, for the server and for a rule', async (_, more, expected) => {
    await using whole = await openBench(`{ rules: [{ name: a, text: ok }], faults: [{ status: 500${more} }] }`)
    expect(await inARow(whole, 6)).toEqual(expected)
    if (more.includes('path')) return
    await using single = await openBench(`{ rules: [{ name: a, text: ok, fault: { status: 500${more} } }] }`)
    expect(await inARow(single, 6)).toEqual(expected)
  })
  test('by chance: the fraction asked for, the same ones every time', async () => {
    const yaml = '{ rules: [{ name: a, text: ok }], faults: [{ status: 500, chance: 0.3 }] }'
    const twice = await Promise.all(
      [0, 1].map(async () => {
        await using bench = await openBench(yaml)
        return await inARow(bench, 40)
      }),
    )
    expect(twice[0]).toEqual(twice[1])
    const struck = twice[0]?.filter((one) => one === '500').length ?? 0
    expect(struck).toBeGreaterThanOrEqual(11)
    expect(struck).toBeLessThanOrEqual(13)
  })
  test('count_tokens is spared unless the path says otherwise', async () => {
    await using bench = await openBench('{ rules: [], faults: [{ status: 500 }] }')
    expect(await bench.client.messages.countTokens(params)).toHaveProperty('input_tokens')
    await using other = await openBench("{ rules: [], faults: [{ status: 500, path: 'count_tokens' }] }")
    await expect(other.client.messages.countTokens(params)).rejects.toThrow('500')
  })
  test('a rule with a fault alone lets the next rule answer when the fault is over', async () => {
    await using bench = await openBench('rules: [{ name: a, fault: { status: 529, first: 1 } }, { name: b, text: ok }]')
    expect(await inARow(bench, 2)).toEqual(['529', 'ok'])
    expect(bench.server.requests.map(({ rule, fault }) => [rule, fault])).toEqual([
      ['a', 'status 529'],
      ['b', undefined],
    ])
  })
})

describe('broken answers', () => {
  test.each([0, 1, 3])('a stream cut after %d events', async (events) => {
    await using bench = await openBench(`rules: [{ name: a, text: some text, fault: { cut: ${events} } }]`)
    const types: string[] = []
    const read = async () => {
      for await (const event of await bench.client.messages.create({ ...params, stream: true })) types.push(event.type)
    }
    await expect(read()).rejects.toThrow()
    expect(types).toEqual(['message_start', 'content_block_start', 'content_block_delta'].slice(0, events))
    expect(bench.server.requests[0]?.fault).toBe('cut')
  })
  test.each([
    ['cut', 'cut: 1'],
    ['malformed', 'malformed: true'],
  ])('a whole answer %s can not be read', async (_, fault) => {
    await using bench = await openBench(`rules: [{ name: a, text: some text, fault: { ${fault} } }]`)
    await expect(bench.say('x')).rejects.toThrow()
  })
  test('a stream that stalls sends so many events, and then nothing', async () => {
    await using bench = await openBench('rules: [{ name: a, text: some text, fault: { stall: 2 } }]')
    const types: string[] = []
    const stream = await bench.client.messages.create({ ...params, stream: true })
    for await (const event of stream) {
      types.push(event.type)
      if (types.length === 2) setTimeout(() => stream.controller.abort(), 200) // without it the loop would not end
    }
    expect(types).toEqual(['message_start', 'content_block_start'])
    expect(stream.controller.signal.aborted).toBe(true)
    expect(bench.server.requests[0]?.fault).toBe('stall')
  })
  test('a malformed stream can not be read', async () => {
    await using bench = await openBench('rules: [{ name: a, text: some text, fault: { malformed: true } }]')
    await expect(bench.client.messages.stream(params).finalMessage()).rejects.toThrow()
    expect(bench.server.requests[0]?.status).toBe(200)
  })
  test('a hang ends when the client aborts', async () => {
    await using bench = await openBench('rules: [{ name: a, fault: { hang: true } }]')
    const abort = new AbortController()
    const asked = expect(bench.client.messages.create(params, { signal: abort.signal })).rejects
    await expect.poll(() => bench.server.requests).toHaveLength(1)
    abort.abort()
    await asked.toBeInstanceOf(Anthropic.APIUserAbortError)
    await bench.server.close()
    expect(bench.server.requests[0]).toMatchObject({ status: null, fault: 'hang' })
  })
  test('negative control: without the fault the same answers arrive', async () => {
    await using bench = await openBench('rules: [{ name: a, text: some text }]')
    expect(textIn(await bench.client.messages.stream(params).finalMessage())).toBe('some text')
  })
})

const hangs = 'rules: [{ name: h, when: { user: hold }, fault: { hang: true } }, { name: a, text: ok }]'

describe('limits and latency', () => {
  test('more than max_in_flight at once are 429', async () => {
    await using bench = await openBench(`{ max_in_flight: 2, ${hangs} }`)
    const held = Promise.allSettled([bench.say('hold')])
    await expect.poll(() => bench.server.requests).toHaveLength(1)
    expect(textIn(await bench.say('x'))).toBe('ok')
    const second = Promise.allSettled([bench.say('hold')])
    await expect.poll(() => bench.server.requests).toHaveLength(3)
    await expect(bench.say('x')).rejects.toThrow('429')
    expect(bench.server.requests.at(-1)).toMatchObject({ status: 429, fault: 'max_in_flight' })
    await bench.server.close()
    await Promise.all([held, second])
  })
  test('what is above a limit is 429 and says to wait where told so', async () => {
    await using bench = await openBench(`{ limits: [{ concurrent: 1, retry_after: 7 }], ${hangs} }`)
    const held = Promise.allSettled([bench.say('hold')])
    await expect.poll(() => bench.server.requests).toHaveLength(1)
    const refused = await Promise.allSettled([bench.say('x'), bench.say('x')])
    const waits = refused.map((end) => end.status === 'rejected' && end.reason.headers.get('retry-after'))
    expect(waits).toEqual(['7', '7'])
    expect(bench.server.requests.slice(1)).toMatchObject(Array(2).fill({ status: 429, fault: 'limit' }))
    await bench.server.close()
    await held
  })
  test('each step of a limit holds from its second after the first request', () => {
    const limit = new MovingLimit([
      { from_s: 1, concurrent: 2 },
      { from_s: 3, concurrent: 4 },
    ])
    const refuses = (seconds: number, atOnce: number) => limit.refuses(atOnce, 50_000 + seconds * 1000) !== null
    expect([refuses(0, 99), refuses(1, 2), refuses(2.9, 2), refuses(3, 3)]).toEqual(Array(4).fill(false))
    expect([refuses(1, 3), refuses(2.9, 3), refuses(3, 5)]).toEqual(Array(3).fill(true))
  })
  test('steps out of order are told', () => {
    const text = 'limits: [{ from_s: 5, concurrent: 1 }, { from_s: 2, concurrent: 1 }]\nrules: []'
    expect(() => parseScenario(text, 'x.yaml')).toThrow(/limits\[1\]\.from_s.*later/s)
  })
  const draws = (spec: Parameters<typeof drawDelay>[0]) =>
    Array.from({ length: 2000 }, (_, at) => drawDelay(spec, hashToUnit('a', at), hashToUnit('b', at))).sort(
      (a, b) => a - b,
    )
  test('fixed', () => expect(new Set(draws({ kind: 'fixed', ms: 5 }))).toEqual(new Set([5])))
  test('lognormal has its median and a long tail, an hour at most', () => {
    const all = draws({ kind: 'lognormal', median: 100, sigma: 1 })
    expect(Math.abs((all[1000] ?? 0) - 100)).toBeLessThan(10)
    expect(all[1900]).toBeGreaterThan(400)
    expect(draws({ kind: 'lognormal', median: 1e6, sigma: 9 }).at(-1)).toBe(3_600_000)
  })
})
