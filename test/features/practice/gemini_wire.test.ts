/** The Gemini API of the practice server, as its documented requests and answers look. */
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { PracticeServer } from '../../../src/features/practice/server.ts'
import { practice } from '../../engines/stage.ts'

const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z.looseObject({ id: z.string(), name: z.string(), args: z.unknown() }).optional(),
  thoughtSignature: z.string().optional(),
})
const answer = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z.object({ role: z.string(), parts: z.array(part) }),
        finishReason: z.string().optional(),
      }),
    )
    .min(1),
  usageMetadata: z.record(z.string(), z.unknown()),
})
type Answer = z.infer<typeof answer>

function post(server: PracticeServer, method: string, body: unknown, key = 'k'): Promise<Response> {
  const headers = { 'x-goog-api-key': key, 'content-type': 'application/json' }
  return fetch(`${server.url}/v1beta/models/${method}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** The chunks of a stream; each must be an event of its own. */
function chunksOf(text: string): Answer[] {
  const events = text.split('\r\n\r\n').filter(Boolean)
  return events.map((event) => answer.parse(JSON.parse(event.replace(/^data: /, ''))))
}

const joined = (chunks: readonly Answer[]) => {
  const parts = chunks.flatMap((chunk) => chunk.candidates[0]?.content.parts ?? [])
  const texts = (thought: boolean) =>
    parts.filter((one) => (one.thought ?? false) === thought).map(({ text = '' }) => text)
  return {
    text: texts(false).join(''),
    thought: texts(true).join(''),
    calls: parts.flatMap(({ functionCall: call }) => (call === undefined ? [] : [[call.name, call.args]])),
    parts: parts.filter(({ text }) => text === undefined),
    reason: chunks.at(-1)?.candidates[0]?.finishReason,
    usage: chunks.at(-1)?.usageMetadata,
  }
}

/** The answer of both methods, which must be the same but for ids. */
async function generate(server: PracticeServer, body: unknown) {
  const whole = await post(server, 'm:generateContent', body)
  const one = joined([answer.parse(await whole.json())])
  const streamed = await post(server, 'm:streamGenerateContent?alt=sse', body)
  expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const { parts, ...other } = joined(chunksOf(await streamed.text()))
  expect({ ...other, parts: one.parts }).toEqual(one)
  return { ...other, parts }
}

const user = (text: string) => ({ role: 'user', parts: [{ text }] })

const story = `
rules:
  - name: judges
    when: { tool: '^StructuredOutput$' }
    tool_calls: { name: StructuredOutput, input: { verdict: '{{user}}' } }
  - name: looks
    when: { turn: 1, tool: '^look$', system: '^be kind$' }
    thinking: I think so.
    text: I look.
    tool_calls: [{ name: look, input: { path: 'ä/😀.txt' } }, { name: [exec, look], input: { path: b } }]
  - name: answers
    when: { turn: 2, result_of: '^look$', called: '"path":"b"', result_error: true }
    text: 'saw {{results}} (seed {{seed}})'
  - { name: other, text: 'no rule: {{user}} {{system}}' }
`
const system = { parts: [{ text: 'be kind' }] }
const tools = [
  { functionDeclarations: [{ name: 'look', parametersJsonSchema: { type: 'object' } }] },
  { googleSearch: {} },
]

describe('what the rules see', () => {
  test('texts, thoughts, calls and their responses, streamed or not', async () => {
    await using server = await practice(story)
    const begin = { contents: [user('go')], systemInstruction: system, tools }
    const first = await generate(server, begin)
    expect(first).toMatchObject({ text: 'I look.', thought: 'I think so.', reason: 'STOP' })
    expect(first.calls).toEqual([
      ['look', { path: 'ä/😀.txt' }],
      ['look', { path: 'b' }],
    ])
    expect(server.requests[0]).toMatchObject({ tools: ['look', 'googleSearch'], system: 'be kind', model: 'm' })
    const responses = [{ output: 'out 0' }, { error: 'out 1' }].map((response) => ({
      functionResponse: { name: 'look', response },
    }))
    const contents = [user('go'), { role: 'model', parts: first.parts }, { role: 'user', parts: responses }]
    const second = await generate(server, { ...begin, contents })
    expect(second.text).toBe('saw out 0\nout 1 (seed 1)')
    // a client that does not return the ids of calls still belongs to its conversation: their signatures say which
    const noIds = first.parts.map(({ functionCall: call, ...rest }) => ({
      ...rest,
      functionCall: { name: call?.name, args: call?.args },
    }))
    const again = [user('go'), { role: 'model', parts: noIds }, { role: 'user', parts: responses }]
    expect((await generate(server, { ...begin, contents: again })).text).toBe('saw out 0\nout 1 (seed 1)')
    expect(server.requests.at(-1)).toMatchObject({ rule: 'answers', turn: 2, seed: 1 })
  })
  test.each(['responseSchema', 'responseJsonSchema'])(
    '%s is answered by the rule that calls StructuredOutput',
    async (field) => {
      await using server = await practice(story)
      const generationConfig = { responseMimeType: 'application/json', [field]: { type: 'object' }, temperature: 0.5 }
      const asked = await generate(server, { contents: [user('yes')], generationConfig })
      expect(JSON.parse(asked.text)).toEqual({ verdict: 'yes' })
      expect(server.requests[0]?.temperature).toBe(0.5)
      expect((await generate(server, { contents: [user('yes')] })).text).toBe('no rule: yes ')
    },
  )
})

test('token counts: cached tokens are part of the prompt, thoughts apart from the candidates', async () => {
  await using server = await practice(
    "rules: [{ name: a, text: 'yes', usage: { cache_read: 300, reasoning: 7 } }, { name: b, text: b }]",
  )
  const { usage } = await generate(server, { contents: [user('x')] })
  const counts = z.record(z.string(), z.number()).parse(usage)
  expect(counts).toMatchObject({ cachedContentTokenCount: 300, thoughtsTokenCount: 7, candidatesTokenCount: 1 })
  expect(counts.promptTokenCount).toBeGreaterThan(300)
  expect(counts.totalTokenCount).toBe((counts.promptTokenCount ?? 0) + 8)
  for (const body of [{ contents: [user('x')] }, { generateContentRequest: { contents: [user('x')] } }]) {
    const counted = await post(server, 'm:countTokens', body)
    expect(await counted.json()).toEqual({ totalTokens: (counts.promptTokenCount ?? 0) - 300 })
  }
})

test.each([
  ['max_tokens', 'MAX_TOKENS'],
  ['refusal', 'SAFETY'],
  ['end_turn', 'STOP'],
])('stop reason %s is %s', async (reason, expected) => {
  await using server = await practice(`{ rules: [{ name: a, text: x, stop_reason: ${reason} }] }`)
  expect(await generate(server, { contents: [user('x')] })).toMatchObject({ text: 'x', reason: expected })
})

describe('refusals', () => {
  const call = { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] }
  const response = { role: 'user', parts: [{ functionResponse: { name: 'look', response: {} } }] }
  test.each([
    [{ contents: [] }, 'contents is not specified'],
    [{ contents: [{ role: 'assistant', parts: [] }] }, 'contents[0].role'],
    [{ contents: [user('x'), call] }, 'number of function response parts'],
    [{ contents: [user('x'), response] }, 'number of function response parts'],
  ])('%j is refused as the API does', async (body, message) => {
    await using server = await practice(story)
    const got = await post(server, 'm:generateContent', body)
    expect(got.status).toBe(400)
    const error = { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining(message) }
    expect(await got.json()).toMatchObject({ error })
  })
  test('the pair of a call and its response is not refused', async () => {
    await using server = await practice(story)
    expect((await post(server, 'm:generateContent', { contents: [user('x'), call, response] })).status).toBe(200)
  })
  test.each([
    [429, 429, 'RESOURCE_EXHAUSTED'],
    [529, 503, 'UNAVAILABLE'],
  ])('a fault with status %i goes out as %i %s', async (asked, status, name) => {
    const fault = `{ status: ${asked}, retry_after: 3, message: not now }`
    await using server = await practice(`{ rules: [{ name: a, text: x }], faults: [${fault}] }`)
    for (const method of ['m:generateContent', 'm:streamGenerateContent?alt=sse']) {
      const got = await post(server, method, { contents: [user('x')] })
      expect(got.status).toBe(status)
      const error = z
        .object({ error: z.looseObject({ details: z.unknown().optional() }) })
        .parse(await got.json()).error
      expect(error).toMatchObject({ code: status, status: name, message: 'not now' })
      const retry = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' }]
      expect(error.details).toEqual(status === 429 ? retry : undefined)
    }
    expect((await post(server, 'm:countTokens', { contents: [user('x')] })).status).toBe(200)
  })
  test('a full context', async () => {
    await using server = await practice('{ rules: [{ name: a, text: x, fault: { context_full: true } }] }')
    const got = await post(server, 'm:streamGenerateContent?alt=sse', { contents: [user('x')] })
    const message = expect.stringContaining('exceeds the maximum number of tokens')
    expect([got.status, await got.json()]).toEqual([400, { error: { code: 400, status: 'INVALID_ARGUMENT', message } }])
  })
  test('a wrong key, an unknown model and an unknown method; the key may be in the query', async () => {
    await using server = await practice('{ models: [m], require_key: [k], rules: [{ name: a, text: x }] }')
    const body = { contents: [user('x')] }
    const wrong = await post(server, 'm:generateContent', body, 'other')
    const details = [expect.objectContaining({ reason: 'API_KEY_INVALID' })]
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT', details } }])
    const missing = await post(server, 'n:generateContent', body)
    const message = expect.stringContaining('models/n is not found')
    expect([missing.status, await missing.json()]).toMatchObject([404, { error: { status: 'NOT_FOUND', message } }])
    expect((await post(server, 'm:embedContent', body)).status).toBe(404)
    const inQuery = await post(server, 'm:generateContent?key=k', body, '')
    expect(inQuery.status).toBe(200)
    expect(JSON.stringify(server.requests)).not.toContain('key=')
  })
})
