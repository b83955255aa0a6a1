/** What is particular to the OpenAI engine: which API it speaks, reasoning, errors inside a stream. */
import { text } from 'node:stream/consumers'
import OpenAI from 'openai'
import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { isOwnServer } from '../../../src/engines/openai/address.ts'
import { openai } from '../../../src/engines/openai/openai.ts'
import { toEngineError } from '../../../src/engines/tool_loop/sdk_error.ts'
import { keysFor, perform, practice, serveHttp, stageOfEachTest } from '../stage.ts'

const stage = stageOfEachTest()

const run = (url: string) =>
  perform(openai, stage.task({ credentials: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${url}/v1` } }))
const rules = 'rules: [{ name: a, answer: { text: a } }]'

describe('a server without the Responses API', () => {
  test('is asked through Chat Completions, and at once there from then on', async () => {
    await using server = await practice(`faults: [{ status: 404, path: /responses, message: no such path }]\n${rules}`)
    for (const _ of [1, 2]) expect((await run(server.url)).outcome.report.finalResponse).toBe('a')
    expect(server.requests.map(({ path: place }) => place)).toEqual([
      '/v1/responses',
      '/v1/chat/completions',
      '/v1/chat/completions',
    ])
  })
  test('a model that is not there is no missing API', async () => {
    await using server = await practice(`models: [other]\n${rules}`)
    expect((await run(server.url)).outcome).toMatchObject({ status: 'failed', error: { kind: 'bad_request' } })
    expect(server.requests.map(({ path: place }) => place)).toEqual(['/v1/responses'])
  })
  test('a server that had it once is not asked otherwise', async () => {
    await using server = await practice(`faults: [{ status: 404, path: /responses, message: no, after: 1 }]\n${rules}`)
    for (const status of ['completed', 'failed']) expect((await run(server.url)).outcome.status).toBe(status)
    expect(server.requests.map(({ path: place }) => place)).toEqual(['/v1/responses', '/v1/responses'])
  })
  test.each([
    ['https://api.openai.com/v1', true],
    ['https://api.openai.com.example.org/v1', false],
    ['http://127.0.0.1:1/v1', false],
  ])('OpenAI itself always has it: %s, %s', (url, own) => expect(isOwnServer(url)).toBe(own))
})

describe('a server that does not say what a response took', () => {
  const chunk = (content: string, more = {}) => ({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-5.4' },
    choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: 'stop' }],
    ...more,
  })
  const output = [
    { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] },
  ]
  const whole = (more = {}) => ({
    type: 'response.completed',
    response: { id: 'r', model: 'gpt-5.4', output, ...more },
  })
  test.each([
    ['Chat Completions, no counts', 'chat', chunk('a')],
    ['Chat Completions, counts of 0', 'chat', chunk('a', { usage: { prompt_tokens: 0, completion_tokens: 0 } })],
    ['Responses, no counts', 'responses', whole()],
    ['Responses, counts of 0', 'responses', whole({ usage: { input_tokens: 0, output_tokens: 0 } })],
  ])('%s: tokens and cost are not known', async (_, api, event) => {
    await using front = await serveHttp((request, response) => {
      if (api === 'chat' && request.url === '/v1/responses') return void response.writeHead(404).end('{}')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`)
    })
    const { outcome } = await run(front.url)
    expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'a', usage: null, cost: null } })
  })
  test('one of several: the sum is not known', async () => {
    await using practised = await practice(twoTurns)
    let count = 0
    await using front = await serveHttp((request, response) => {
      void text(request).then(async (body) => {
        const said = await passOn(practised.url, request.url, body)
        count += 1
        const silent = said.replaceAll(/"usage":\{(?:[^{}]|\{[^{}]*\})*\}/g, '"usage":null')
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(count === 1 ? silent : said)
      })
    })
    const { outcome } = await run(front.url)
    expect(count).toBe(2)
    expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'done', usage: null, cost: null } })
  })
})

const twoTurns = `
rules:
  - { name: end, when: { turn: 2 }, answer: { text: done } }
  - { name: look, answer: { tool_calls: { name: Bash, input: { command: 'true' } } } }
`

/** What another server says to a request. */
async function passOn(url: string, place: string | undefined, body: string): Promise<string> {
  const answer = await fetch(`${url}${place}`, { method: 'POST', headers: { authorization: 'Bearer k' }, body })
  return await answer.text()
}

test('a model that gives no encrypted reasoning is asked without, once and for all', async () => {
  await using practised = await practice(twoTurns)
  const asked: boolean[] = []
  await using front = await serveHttp((request, response) => {
    void text(request).then(async (body) => {
      const { include } = z.looseObject({ include: z.array(z.string()).optional() }).parse(JSON.parse(body))
      asked.push(include !== undefined)
      const message = 'Encrypted content is not supported with this model.'
      if (include !== undefined) return response.writeHead(400).end(JSON.stringify({ error: { message } }))
      const said = await passOn(practised.url, request.url, body)
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).end(said)
    })
  })
  expect((await run(front.url)).outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'done' } })
  expect(asked).toEqual([true, false, false])
})

test("what the harness's own environment says is not seen by the SDK", async () => {
  await using server = await practice(`require_key: [practice-key]\n${rules}`)
  const { OPENAI_BASE_URL = '', OPENAI_API_KEY = '' } = keysFor(server)
  vi.stubEnv('OPENAI_API_KEY', 'wrong')
  vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1')
  try {
    const task = (credentials: Record<string, string>) => perform(openai, stage.task({ credentials }))
    expect((await task({ OPENAI_BASE_URL, OPENAI_API_KEY })).outcome.status).toBe('completed')
    expect((await task({ OPENAI_BASE_URL })).outcome).toMatchObject({ error: { kind: 'credentials' } })
  } finally {
    vi.unstubAllEnvs()
  }
})

describe('errors that have no status', () => {
  const failed = (code: string) => ({ type: 'response.failed', response: { error: { code, message: 'sorry' } } })

  test.each([
    ['response.failed, limits', failed('rate_limit_exceeded'), 'rate_limited', 'sorry'],
    ['response.failed, theirs', failed('server_error'), 'server_error', 'sorry'],
    ['response.failed, ours', failed('invalid_prompt'), 'bad_request', 'sorry'],
    ['response.failed, full', failed('context_length_exceeded'), 'bad_request', 'sorry'],
    ['error', { type: 'error', code: 'server_is_overloaded', message: 'full' }, 'overloaded', 'full'],
    ['error inside', { error: { code: 'insufficient_quota', message: 'pay' } }, 'credentials', 'pay'],
    ['no end', { type: 'response.created', response: {} }, 'server_error', ''],
  ])('%s', async (_, event, kind, message) => {
    await using server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`data: ${JSON.stringify(event)}\n\n`)
    })
    const error = { kind, message: expect.stringContaining(message), retryable: kind !== 'bad_request' }
    expect((await run(server.url)).outcome).toMatchObject({ status: 'failed', error })
  })
  test('an empty account is no rate limit; a rate limit is one', () => {
    const answer = (code: string) => new OpenAI.RateLimitError(429, { code, message: 'm' }, undefined, new Headers())
    const kind = (code: string) => toEngineError(answer(code), 'x', OpenAI)
    expect(kind('insufficient_quota')).toMatchObject({ kind: 'credentials' })
    expect(kind('rate_limit_exceeded')).toMatchObject({ kind: 'rate_limited', retryable: true })
  })
})
