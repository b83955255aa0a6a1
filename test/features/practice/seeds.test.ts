/** Repeats differ by their number, and the same benchmark gives the same numbers. */
import { describe, expect, test } from 'vitest'
import { conversationKey, evenChance, hashToUnit } from '../../../src/features/practice/scenario/seed.ts'
import { type Bench, openBench, textIn, tools } from './bench.ts'

const numbered = 'rules: [{ name: a, text: "{{seed}}" }]'

async function repeat(bench: Bench, n: number, text = 'x', system = ''): Promise<string[]> {
  const got: string[] = []
  for (let at = 0; at < n; at += 1) got.push(textIn(await bench.say(text, system ? { system } : {})))
  return got
}

describe('numbers', () => {
  test('count conversations that begin alike, each beginning for itself', async () => {
    await using bench = await openBench(numbered)
    expect(await repeat(bench, 3)).toEqual(['0', '1', '2'])
    expect(await repeat(bench, 2, 'y')).toEqual(['0', '1'])
    expect(await repeat(bench, 1, 'x', 'another system')).toEqual(['0'])
    expect(await repeat(bench, 1)).toEqual(['3'])
  })
  test('go with the conversation: later turns carry them in the ids of tool calls', async () => {
    await using bench = await openBench(
      "rules: [{ name: a, when: { turn: 1 }, tool_calls: { name: T } }, { name: b, text: '{{seed}}' }]",
    )
    const begun = [await bench.say('x', { tools: tools('T') }), await bench.say('x', { tools: tools('T') })]
    const ids = begun.map(({ content }) => content.map((block) => (block.type === 'tool_use' ? block.id : '')).join(''))
    const goOn = (id = '') => bench.textOf([{ user: 'x' }, { call: 'T', result: 'r', id }])
    expect(await Promise.all([goOn(ids[1]), goOn(ids[0]), goOn('toolu_other')])).toEqual(['1', '0', '0'])
  })
  test('are given again when the first answer never arrived', async () => {
    await using bench = await openBench(
      'rules: [{ name: a, fault: { status: 500, first: 1 } }, { name: b, fault: { cut: 1, first: 1 }, text: x }, { name: c, text: "{{seed}}" }]',
    )
    const get = () => bench.say('x').then(textIn, () => 'failed')
    expect([await get(), await get(), bench.server.requests.map(({ seed }) => seed)]).toEqual([
      'failed',
      'failed',
      [0, 0],
    ])
  })
})

const system = (cwd: string, date: string, id: string) =>
  `Working directory: ${cwd}\nToday is ${date}. Session ${id}. Took 12.5 ms.\nx-anthropic-billing-header: ${id}`
const key = (text: string, user: string) =>
  conversationKey({ system: text, user, model: '', last: '', calls: [], results: [], tools: [], turn: 1 })
const base = system('/tmp/a-1/work', '2026-01-02', '0b5e4a33-6f5c-4a6e-9c3e-0123456789ab')

describe('conversations begin alike', () => {
  test.each([
    ['another folder', base.replace('/tmp/a-1/work', '/home/b/c.d'), true],
    ['another date', base.replace('2026-01-02', '2026-11-30T10:20:30.123Z'), true],
    ['other reminders', `${base}<system-reminder>new</system-reminder>`, true],
    ['another word', base.replace('Today', 'Tomorrow'), false],
    ['another number', base.replace('Took 12.5 ms', 'Took 12.5 m'), false],
  ])('with %s: %#', (_, other, isSame) => expect(key(base, 'x') === key(other, 'x')).toBe(isSame))
  test('another prompt is another conversation', () => expect(key(base, 'x')).not.toBe(key(base, 'y')))
})

describe('conditions on the number', () => {
  test.each([
    ['seed: 1', [0, 1, 0, 0, 0, 0]],
    ['seed: [0, 2]', [1, 0, 1, 0, 0, 0]],
    ['seed: { mod: 3, in: [0, 2] }', [1, 0, 1, 1, 0, 1]],
    ['chance: 0', [0, 0, 0, 0, 0, 0]],
    ['chance: 1', [1, 1, 1, 1, 1, 1]],
  ])('%s', async (when, expected) => {
    await using bench = await openBench(`rules: [{ name: a, when: { ${when} }, text: '1' }, { name: b, text: '0' }]`)
    expect((await repeat(bench, 6)).map(Number)).toEqual(expected)
  })
  test('a chance is kept in every stretch of repeats, and is the same again; another scenario seed is another draw', async () => {
    const run = async (seed: number) => {
      await using bench = await openBench(
        `{ seed: ${seed}, rules: [{ name: a, when: { chance: 0.5 }, text: '1' }, { name: b, text: '0' }] }`,
      )
      return (await repeat(bench, 12)).join('')
    }
    const [first, again, ...others] = await Promise.all([run(1), run(1), run(2), run(3), run(4)])
    expect(first).toBe(again)
    expect(others.some((one) => one !== first)).toBe(true)
    expect([...(first ?? '')].filter((one) => one === '1').length).toBeGreaterThanOrEqual(5)
    expect([...(first ?? '')].filter((one) => one === '1').length).toBeLessThanOrEqual(7)
  })
  test.each([0.1, 0.25, 0.5, 0.9])('%d of the numbers, within two, from any start', (p) => {
    for (let at = 0; at < 50; at += 1) {
      const start = hashToUnit('start', at)
      const n = 20 + at
      const passed = Array.from({ length: n }, (_, number) => evenChance(p, number, start)).filter(Boolean).length
      expect(Math.abs(passed - p * n)).toBeLessThan(2)
    }
  })
})
