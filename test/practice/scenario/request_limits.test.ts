/** The hidden limit of the practice server refuses what is above it, and moves with time. */
import { describe, expect, test } from 'vitest'
import { MovingLimit } from '../../../src/practice/scenario/request_limits.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { openBench } from '../bench.ts'

describe('limits', () => {
  test('what is above is 429, takes no place, and says to wait where told so', async () => {
    await using bench = await openBench(
      '{ limits: [{ concurrent: 2, retry_after: 7 }], latency: 150, rules: [{ name: a, text: ok }] }',
    )
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => bench.say('x')))
    expect(all.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
    const refused = all.find((end) => end.status === 'rejected')
    expect(refused?.reason.headers.get('retry-after')).toBe('7')
    expect(bench.server.requests.filter(({ fault }) => fault === 'limit')).toMatchObject([
      { status: 429 },
      { status: 429 },
    ])
  })
  test('each step holds from its second after the first request', () => {
    const limit = new MovingLimit([
      { from_s: 1, concurrent: 2 },
      { from_s: 3, concurrent: 4 },
    ])
    const refuses = (seconds: number, atOnce: number) => limit.refuses(atOnce, 50_000 + seconds * 1000) !== null
    expect([refuses(0, 99), refuses(1, 3), refuses(1, 2), refuses(2.9, 3), refuses(3, 3), refuses(3, 5)]).toEqual([
      false,
      true,
      false,
      true,
      false,
      true,
    ])
  })
  test('steps out of order are told', () => {
    const text = 'limits: [{ from_s: 5, concurrent: 1 }, { from_s: 2, concurrent: 1 }]\nrules: []'
    expect(() => parseScenario(text, 'x.yaml')).toThrow(/limits\[1\]\.from_s.*later/s)
  })
})
