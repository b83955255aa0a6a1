/** The Responses and Chat Completions APIs of the practice server, as the official SDK sees them. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { PracticeServer } from '../../../src/features/practice/server.ts'
import { practice } from '../../engines/stage.ts'

interface Bench extends AsyncDisposable {
  server: PracticeServer
  client: OpenAI
}

async function openBench(yaml: string): Promise<Bench> {
  const server = await practice(yaml)
  const client = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0, logLevel: 'off' })
  return { server, client, [Symbol.asyncDispose]: () => server.close() }
}

type ResponsesRequest = OpenAI.Responses.ResponseCreateParamsNonStreaming
type ChatRequest = OpenAI.ChatCompletionCreateParamsNonStreaming

/** Without what the SDK adds to streamed answers. */
function unparsed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key.startsWith('parsed') ? undefined : inner)))
}

/** The answer of both ways of asking, which must be the same but for its ids. */
async function respond({ client }: Bench, request: ResponsesRequest): Promise<OpenAI.Responses.Response> {
  const whole = await client.responses.create(request)
  const streamed = await client.responses.stream({ ...request, stream: true }).finalResponse()
  const plain = ({ output, status, usage }: OpenAI.Responses.Response) => {
    const same = output.map(({ id, ...rest }) => ({ ...rest, call_id: 'call_id' in rest ? 'call' : undefined }))
    return unparsed({ output: same, status, usage })
  }
  expect(plain(streamed)).toEqual(plain(whole))
  return streamed
}

async function complete({ client }: Bench, request: ChatRequest): Promise<OpenAI.ChatCompletion.Choice | undefined> {
  const whole = await client.chat.completions.create(request)
  const stream = client.chat.completions.stream({ ...request, stream: true, stream_options: { include_usage: true } })
  const streamed = await stream.finalChatCompletion()
  const [one, other] = [whole, streamed].map(({ choices: [choice], usage }) => ({
    text: choice?.message.content ?? '',
    refusal: choice?.message.refusal ?? '',
    calls: (choice?.message.tool_calls ?? []).map((call) => (call.type === 'function' ? call.function : null)),
    reason: choice?.finish_reason,
    usage,
  }))
  expect(unparsed(other)).toEqual(unparsed(one))
  return whole.choices[0]
}

const story = `
rules:
  - name: judges
    when: { tool: '^StructuredOutput$' }
    tool_calls: { name: StructuredOutput, input: { verdict: '{{user}}' } }
  - name: looks
    when: { turn: 1, tool: '^look$', system: '^be kind$' }
    text: I look.
    tool_calls: [{ name: look, input: { path: 'ä/😀.txt' } }, { name: [exec, look], input: { path: b } }]
  - name: answers
    when: { turn: 2, result_of: '^look$', called: '"path":"b"' }
    text: 'saw {{results}} (seed {{seed}})'
  - { name: other, text: 'no rule: {{user}}' }
`
const parameters = { type: 'object', properties: { path: { type: 'string' } } }
const look = { type: 'function' as const, name: 'look', parameters, strict: false }

describe('Responses', () => {
  test('texts, calls and their outputs are what the rules see, streamed or not', async () => {
    await using bench = await openBench(story)
    const begin = { model: 'm', instructions: 'be kind', input: 'go', tools: [look] }
    const first = await respond(bench, begin)
    expect(first.output_text).toBe('I look.')
    const calls = first.output.filter((item) => item.type === 'function_call')
    expect(calls.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
      ['look', { path: 'ä/😀.txt' }],
      ['look', { path: 'b' }],
    ])
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'I look.' },
      ...calls.map(({ type, call_id, name, arguments: text }) => ({ type, call_id, name, arguments: text })),
      ...calls.map(({ call_id }, at) => ({ type: 'function_call_output' as const, call_id, output: `out ${at}` })),
    ]
    const second = await respond(bench, { ...begin, input })
    expect(second.output_text).toBe('saw out 0\nout 1 (seed 1)')
    expect(bench.server.requests.at(-1)).toMatchObject({ rule: 'answers', turn: 2, seed: 1, system: 'be kind' })
  })
  test.each([
    ['max_tokens', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    ['refusal', { status: 'completed', output: [{ content: [{ type: 'refusal', refusal: 'x' }] }] }],
    ['end_turn', { status: 'completed', output: [{ content: [{ type: 'output_text', text: 'x' }] }] }],
  ])('stop reason %s', async (reason, expected) => {
    await using bench = await openBench(`{ rules: [{ name: a, text: x, stop_reason: ${reason} }] }`)
    expect(await respond(bench, { model: 'm', input: 'x' })).toMatchObject(expected)
  })
  test.each([
    [{ input: [] }, 'input: must not be empty'],
    [{ input: 'x', previous_response_id: 'resp_1' }, "Previous response with id 'resp_1' not found."],
    [{ input: [{ type: 'function_call', call_id: 'c1', name: 'n', arguments: '{}' }] }, 'No tool output found'],
    [{ input: [{ type: 'function_call_output', call_id: 'c1', output: '' }] }, 'No tool call found'],
    [{ input: 5 }, 'input: must be a string or a list of items'],
  ])('%j is refused as the API does', async (more, message) => {
    await using bench = await openBench(story)
    const headers = { authorization: 'Bearer k' }
    const body = JSON.stringify({ model: 'm', ...more })
    const got = await fetch(`${bench.server.url}/v1/responses`, { method: 'POST', headers, body })
    expect(got.status).toBe(400)
    expect(await got.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining(message) },
    })
  })
})

describe('thinking and counts', () => {
  const yaml = `
rules:
  - { name: a, thinking: I think so., text: 'yes', usage: { cache_read: 300, cache_write: 20, reasoning: 7 } }`
  test('Responses: a reasoning item before the text; cached tokens are part of the input, reasoning of the output', async () => {
    await using bench = await openBench(yaml)
    const { output, usage, output_text } = await respond(bench, { model: 'm', input: 'x' })
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    expect(output[0]).toMatchObject({ summary: [{ text: 'I think so.' }], encrypted_content: expect.any(String) })
    expect(output_text).toBe('yes')
    expect(usage).toMatchObject({
      input_tokens_details: { cached_tokens: 300, cache_write_tokens: 20 },
      output_tokens_details: { reasoning_tokens: 7 },
    })
    expect(usage?.input_tokens).toBeGreaterThan(320)
    expect(usage?.output_tokens).toBeGreaterThan(7)
  })
  test('Messages: a thinking block before the text, streamed or not', async () => {
    await using bench = await openBench(yaml)
    const client = new Anthropic({ apiKey: 'k', baseURL: bench.server.url, maxRetries: 0, logLevel: 'off' })
    const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'x' }] }
    const expected = {
      content: [
        { type: 'thinking', thinking: 'I think so.', signature: 'practice' },
        { type: 'text', text: 'yes' },
      ],
      usage: { cache_read_input_tokens: 300, cache_creation_input_tokens: 20 },
    }
    expect(await client.messages.create(request)).toMatchObject(expected)
    expect(await client.messages.stream(request).finalMessage()).toMatchObject(expected)
  })
})

describe('Chat Completions', () => {
  const tools = [{ type: 'function' as const, function: { name: 'look', parameters } }]
  test('texts, calls and their results are what the rules see, streamed or not', async () => {
    await using bench = await openBench(story)
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'go' },
    ]
    const first = await complete(bench, { model: 'm', messages, tools })
    expect(first).toMatchObject({ finish_reason: 'tool_calls', message: { content: 'I look.' } })
    const calls = first?.message.tool_calls ?? []
    expect(calls).toHaveLength(2)
    for (const [at, call] of calls.entries()) {
      if (at === 0) messages.push({ role: 'assistant', content: 'I look.', tool_calls: calls })
      messages.push({ role: 'tool', tool_call_id: call.id, content: `out ${at}` })
    }
    const second = await complete(bench, { model: 'm', messages, tools })
    expect(second).toMatchObject({ finish_reason: 'stop', message: { content: 'saw out 0\nout 1 (seed 0)' } })
  })
  test('a stream ends with [DONE], on which some clients wait', async () => {
    await using bench = await openBench(story)
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true })
    const headers = { authorization: 'Bearer k' }
    const got = await fetch(`${bench.server.url}/v1/chat/completions`, { method: 'POST', headers, body })
    expect(await got.text()).toMatch(/\n\ndata: \[DONE\]\n\n$/)
  })
})

describe('faults', () => {
  const asking = {
    responses: (client: OpenAI, stream: boolean) =>
      stream
        ? client.responses.stream({ model: 'm', input: 'x' }).finalResponse()
        : client.responses.create({ model: 'm', input: 'x' }),
    chat: (client: OpenAI, stream: boolean) => {
      const request = { model: 'm', messages: [{ role: 'user' as const, content: 'x' }] }
      return stream
        ? client.chat.completions.stream(request).finalChatCompletion()
        : client.chat.completions.create(request)
    },
  }
  const wires = ['responses', 'chat'] as const
  const thrownBy = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    )

  test.each(
    wires.flatMap((wire) => [
      [wire, 401, 401, 'invalid_api_key'] as const,
      [wire, 429, 429, 'rate_limit_exceeded'] as const,
      [wire, 529, 503, 'server_is_overloaded'] as const,
    ]),
  )('%s: status %i goes out as %i in the shape of OpenAI, with Retry-After', async (wire, asked, status, code) => {
    await using bench = await openBench(
      `{ rules: [{ name: a, text: x }], faults: [{ status: ${asked}, retry_after: 3, message: not now }] }`,
    )
    for (const stream of [false, true]) {
      const error = await thrownBy(asking[wire](bench.client, stream))
      expect(error).toBeInstanceOf(OpenAI.APIError)
      expect(error).toMatchObject({ status, code, message: expect.stringContaining('not now') })
      expect(error instanceof OpenAI.APIError && error.headers?.get('retry-after')).toBe('3')
    }
    expect(bench.server.requests[0]).toMatchObject({ status, fault: `status ${asked}` })
  })
  test.each(wires.flatMap((wire) => [[wire, 'cut: 2'] as const, [wire, 'malformed: true'] as const]))(
    '%s: %s breaks the answer, streamed or not; without it the same request works',
    async (wire, fault) => {
      await using broken = await openBench(`{ rules: [{ name: a, text: x, fault: { ${fault}, first: 2 } }] }`)
      for (const stream of [false, true]) {
        expect(await thrownBy(asking[wire](broken.client, stream)), String(stream)).toBeInstanceOf(Error)
      }
      expect(await thrownBy(asking[wire](broken.client, true))).toBeNull()
    },
  )
})

test('models are listed and found; others are refused in the shape of the asking API', async () => {
  await using bench = await openBench('{ rules: [], models: [a, b], require_key: [k] }')
  const names: string[] = []
  for await (const model of bench.client.models.list()) names.push(model.id)
  expect(names).toEqual(['a', 'b'])
  expect(await bench.client.models.retrieve('a')).toMatchObject({ id: 'a', object: 'model' })
  await expect(bench.client.models.retrieve('c')).rejects.toMatchObject({
    status: 404,
    code: 'model_not_found',
    message: expect.stringContaining('The model `c` does not exist'),
  })
  await expect(bench.client.withOptions({ apiKey: 'wrong' }).models.list()).rejects.toMatchObject({
    status: 401,
    code: 'invalid_api_key',
  })
})
