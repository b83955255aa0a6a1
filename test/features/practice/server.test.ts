/** The protocol, as the official SDK sees it. */
import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { RequestLog } from '../../../src/features/practice/log.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { callsIn, openBench, textIn, tools } from './bench.ts'

const both = `
rules:
  - name: both
    when: { turn: 1, tool: Bash }
    text: 'Grüße an {{user}} 👋, a text of more than one piece'
    tool_calls: [{ name: Bash, input: { command: 'echo "a b"', timeout: 5, deep: { list: [1, true, null] } } }]
  - name: end
    when: { result: '^out (?<what>.+)$' }
    text: got {{what}}
`

describe('messages', () => {
  const asked = {
    ...{ model: 'm', max_tokens: 9, tools: tools('Bash') },
    messages: [{ role: 'user' as const, content: 'Bob' }],
  }
  test.each([
    ['whole', false],
    ['streamed', true],
  ])('text and a tool call arrive %s', async (_, stream) => {
    await using bench = await openBench(both)
    const params = { ...asked, model: 'm-1' }
    const message = stream
      ? await bench.client.messages.stream(params).finalMessage()
      : await bench.client.messages.create(params)
    expect(message).toMatchObject({ type: 'message', role: 'assistant', model: 'm-1', stop_reason: 'tool_use' })
    expect(textIn(message)).toBe('Grüße an Bob 👋, a text of more than one piece')
    expect(callsIn(message)).toEqual([
      { name: 'Bash', input: { command: 'echo "a b"', timeout: 5, deep: { list: [1, true, null] } } },
    ])
    expect(message.usage).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 0 })
    expect(message.usage.input_tokens).toBeGreaterThan(10)
    expect(message.usage.output_tokens).toBeGreaterThan(20)
  })
  test('the events of a stream come in the order of the real API', async () => {
    await using bench = await openBench(both)
    const types: string[] = []
    for await (const event of await bench.client.messages.create({ ...asked, stream: true })) {
      const inner = event.type === 'content_block_delta' ? ` ${event.delta.type}` : ''
      if (types.at(-1) !== event.type + inner) types.push(event.type + inner)
    }
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta text_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta input_json_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
  })
  test('no piece of a stream ends inside a character', async () => {
    await using bench = await openBench(`rules: [{ name: a, text: '${'x'.repeat(23)}👋👋${'y'.repeat(40)}' }]`)
    const pieces: string[] = []
    for await (const event of await bench.client.messages.create({ ...asked, stream: true })) {
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') pieces.push(event.delta.text)
    }
    expect(pieces.length).toBeGreaterThan(2)
    expect(pieces.filter((piece) => /\p{Cs}/u.test(piece))).toEqual([])
  })
  test('no rule fits: the answer names the rules', async () => {
    await using bench = await openBench(both)
    expect(textIn(await bench.say('Bob'))).toBe('No rule of the practice scenario fits this request. Rules: both, end.')
    expect(bench.server.requests[0]).toMatchObject({ rule: null, turn: 1, seed: 0, status: 200 })
  })
  test('models are those of the scenario', async () => {
    await using bench = await openBench('{ models: [a, b], rules: [{ name: r, text: hi }] }')
    expect((await bench.client.models.list()).data.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(await bench.client.models.retrieve('b')).toMatchObject({ id: 'b', type: 'model' })
    await expect(bench.client.models.retrieve('c')).rejects.toBeInstanceOf(Anthropic.NotFoundError)
    await expect(bench.say('hi', { model: 'c' })).rejects.toThrow('model: c')
    expect(textIn(await bench.say('hi', { model: 'a' }))).toBe('hi')
  })
  test.each(['GET', 'HEAD'])('%s / is 200 without a key', async (method) => {
    await using bench = await openBench('rules: []')
    expect((await fetch(bench.server.url, { method })).status).toBe(200)
  })
})

const good = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] }
const use = { type: 'tool_use', id: 'a', name: 'T', input: {} }
const result = { type: 'tool_result', tool_use_id: 'a', content: 'r' }
const asking = [
  { role: 'user', content: 'x' },
  { role: 'assistant', content: [use] },
]
const given = { role: 'user', content: [result] }
const other = { role: 'user', content: 'y' }
const noText = { type: 'text', text: '' }

describe('refusals', () => {
  const bad = [400, 'invalid_request_error'] as const
  test.each<[string, unknown, number, string | undefined, string | undefined]>([
    ['no JSON', '{"model": ', ...bad, 'not valid JSON'],
    ['no messages', { ...good, messages: [] }, ...bad, 'messages'],
    ['another role', { ...good, messages: [{ role: 'tool', content: 'x' }] }, ...bad, 'messages[0].role'],
    ['an empty text', { ...good, messages: [{ role: 'user', content: [noText] }] }, ...bad, 'non-empty'],
    ['a call alone', { ...good, messages: [...asking, other] }, ...bad, 'without `tool_result`'],
    ['a result alone', { ...good, messages: [given] }, ...bad, 'unexpected `tool_use_id`'],
    ['both', { ...good, messages: [...asking, given] }, 200, undefined, undefined],
    ['too large', `"${'x'.repeat(32 * 1024 * 1024)}"`, 413, 'request_too_large', 'larger than'],
  ])('%s', async (_, body, status, type, message) => {
    await using bench = await openBench('rules: [{ name: r, text: hi }]')
    const headers = { 'x-api-key': 'k', 'content-type': 'application/json' }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${bench.server.url}/v1/messages`, { method: 'POST', headers, body: text })
    const answer: unknown = await response.json()
    expect(response.status).toBe(status)
    if (type === undefined) return
    expect(answer).toMatchObject({ type: 'error', error: { type, message: expect.stringContaining(message ?? '') } })
    expect(answer).toHaveProperty('request_id', response.headers.get('request-id'))
  })
  test.each([
    ['a token', 'rules: []', { authToken: 'anything' }, true],
    ['an accepted key', '{ require_key: [a], rules: [] }', { apiKey: 'a' }, true],
    ['a wrong key', '{ require_key: [a], rules: [] }', { apiKey: 'b' }, false],
  ])('%s is let in or refused', async (_, yaml, keys, isIn) => {
    await using bench = await openBench(yaml)
    const client = new Anthropic({ apiKey: null, authToken: null, ...keys, baseURL: bench.server.url, maxRetries: 0 })
    const asked = client.models.list()
    if (isIn) await asked
    else await expect(asked).rejects.toBeInstanceOf(Anthropic.AuthenticationError)
  })
  test('no key at all is 401', async () => {
    await using bench = await openBench('rules: []')
    expect((await fetch(`${bench.server.url}/v1/models`)).status).toBe(401)
  })
})

describe('the log', () => {
  test('tells what was asked and which rule answered, and no key', async () => {
    await using bench = await openBench(both)
    await bench.say('Bob', { tools: tools('Bash', 'Read'), system: [{ type: 'text', text: 'be kind' }] })
    expect(bench.server.requests).toEqual([
      {
        n: 1,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        method: 'POST',
        path: '/v1/messages',
        status: 200,
        model: 'm',
        system: 'be kind',
        messages: [{ role: 'user', content: 'Bob' }],
        tools: ['Bash', 'Read'],
        seed: 0,
        turn: 1,
        rule: 'both',
        headers: { 'user-agent': expect.stringContaining('Anthropic') },
      },
    ])
  })
  test('keeps the newest 10,000 in memory', async () => {
    const log = await RequestLog.open(undefined)
    for (let at = 0; at < 10_001; at += 1) log.begin({ method: 'GET', path: '/', userAgent: '' })
    expect([log.requests.length, log.requests[0]?.n, log.requests.at(-1)?.n]).toEqual([10_000, 2, 10_001])
  })
  test('goes to a file, one line a request, behind what is there', async () => {
    const logFile = path.join(await mkdtemp(path.join(tmpdir(), 'practice-')), 'log.jsonl')
    const scenario = parseScenario('rules: [{ name: r, text: hi }]', 'x.yaml')
    for (const key of ['secret-1', 'secret-2']) {
      await using server = await startPractice({ scenario, logFile })
      const client = new Anthropic({ apiKey: key, baseURL: server.url })
      await client.messages.create({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] })
    }
    const text = readFileSync(logFile, 'utf8')
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).rule),
    ).toEqual(['r', 'r'])
    expect(text).not.toContain('secret')
  })
})

describe('the end', () => {
  test('close ends a hanging request, an idle connection and a slow answer at once, and can be called twice', async () => {
    const { server, client } = await openBench(`
rules:
  - { name: hang, when: { user: hang }, fault: { hang: true } }
  - { name: slow, latency: 1000000, text: late }`)
    const idle = connect(server.port, '127.0.0.1').on('error', () => {})
    const messages = (content: string) => [{ role: 'user' as const, content }]
    const hanging = client.messages.create({ model: 'm', max_tokens: 1, messages: messages('hang') })
    const slow = client.messages.create({ model: 'm', max_tokens: 1, messages: messages('slow') })
    const failed = Promise.allSettled([hanging, slow])
    while (server.requests.length < 2) await sleep(5)
    await Promise.all([server.close(), server.close()])
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(server.requests.map(({ status }) => status)).toEqual([null, null])
    idle.destroy()
    await expect(fetch(server.url)).rejects.toThrow()
  })
  test('a taken port is told', async () => {
    await using bench = await openBench('rules: []')
    const scenario = parseScenario('rules: []', 'x.yaml')
    await expect(startPractice({ scenario, port: bench.server.port })).rejects.toThrow(/can't listen on 127.0.0.1:\d+/)
  })
  test('a log file that can not be is told', async () => {
    const scenario = parseScenario('rules: []', 'x.yaml')
    await expect(startPractice({ scenario, logFile: '/nowhere/x/log' })).rejects.toThrow('/nowhere/x/log: can')
  })
})
