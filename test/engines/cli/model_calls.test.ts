/** What is counted at the credential proxies of a run: calls that the agent does not report, in every API; and what is refused there. */
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Usage } from '../../../schemas/usage.ts'
import { readResponseUsage } from '../../../src/engines/answers/response_usage.ts'
import { type KeyedServer, withPlaceholders } from '../../../src/engines/cli/key_placeholders.ts'
import { anthropicServer, googleServer, openaiServer } from '../../../src/engines/command_line.ts'
import { type Engine, type EngineTask, emptyReport } from '../../../src/engines/engine.ts'
import { addUsage, countTokens, estimateCost, noUsage } from '../../../src/engines/models/cost.ts'
import { providerServer } from '../../../src/engines/models/provider_model.ts'
import { geminiServer } from '../../../src/features/gemini/settings.ts'
import { readRunUsage } from '../../../src/flows/history/forecast.ts'
import { aggregate } from '../../../src/phases/4-report/benchmark/aggregate.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { performIn } from '../../phases/2-run/surroundings.ts'
import { arm, inputOf } from '../../phases/4-report/fixture.ts'
import { openStage, practice, roomTask } from '../stage.ts'

const model = 'claude-haiku-4-5'
const counted = (input_tokens: number, output_tokens: number, more: Partial<Usage> = {}): Usage => {
  return { input_tokens, output_tokens, cache_read_tokens: 0, cache_write_tokens: 0, ...more }
}
const sse = (...events: unknown[]) => events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
const aws = (event: unknown) =>
  `\u0000\u0001:event-type{"bytes":"${Buffer.from(JSON.stringify(event)).toString('base64')}"}`

describe('the tokens of a response of', () => {
  const start = { input_tokens: 30, cache_read_input_tokens: 5, cache_creation_input_tokens: 2, output_tokens: 1 }
  const begun = { type: 'message_start', message: { model: 'claude-x', usage: start } }
  const ended = { type: 'message_delta', usage: { output_tokens: 9 } }
  const ofMessages = counted(30, 9, { cache_read_tokens: 5, cache_write_tokens: 2 })
  const chat = { prompt_tokens: 40, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 10 } }
  const ofChat = counted(30, 7, { cache_read_tokens: 10 })
  const responses = { input_tokens: 40, output_tokens: 7, input_tokens_details: { cached_tokens: 10 } }
  const gemini = { promptTokenCount: 40, candidatesTokenCount: 5, thoughtsTokenCount: 2, cachedContentTokenCount: 10 }
  const stream = 'text/event-stream; charset=utf-8'
  test.each<[string, string, string, Usage, string]>([
    [
      'Messages',
      'application/json',
      JSON.stringify({ model: 'm', usage: { ...start, output_tokens: 9 } }),
      ofMessages,
      'm',
    ],
    ['Messages, streamed', stream, sse(begun, ended), ofMessages, 'claude-x'],
    ['Bedrock, streamed', 'application/vnd.amazon.eventstream', aws(begun) + aws(ended), ofMessages, 'claude-x'],
    [
      'Chat Completions',
      'application/json',
      JSON.stringify({ model: 'm', choices: [{}], usage: chat }, null, 2),
      ofChat,
      'm',
    ],
    [
      'Chat Completions, streamed',
      stream,
      sse({ model: 'm', choices: [{}], usage: null }, { choices: [], usage: chat }),
      ofChat,
      'm',
    ],
    [
      'Responses',
      'application/json',
      JSON.stringify({ model: 'm', output: [], error: null, usage: responses }),
      ofChat,
      'm',
    ],
    [
      'Responses, streamed',
      stream,
      sse(
        { type: 'response.created', response: { model: 'm', usage: null } },
        { type: 'response.completed', response: { model: 'm', error: null, usage: responses } },
      ),
      ofChat,
      'm',
    ],
    [
      'Gemini',
      'application/json',
      JSON.stringify([{ modelVersion: 'm' }, { usageMetadata: gemini }]),
      { ...ofChat, reasoning_tokens: 2 },
      'm',
    ],
    [
      'Gemini, streamed',
      stream,
      sse({ modelVersion: 'm', usageMetadata: { promptTokenCount: 40 } }, { usageMetadata: gemini }),
      { ...ofChat, reasoning_tokens: 2 },
      'm',
    ],
  ])('%s', (_api, type, body, usage, id) => {
    expect(readResponseUsage(type, Buffer.from(body))).toMatchObject({ usage, model: id, end: 'counted' })
  })

  test.each<[string, string, string, string]>([
    ['Messages that broke off', stream, sse(begun), 'open'],
    ['Messages with an error', stream, sse(begun, { type: 'error', error: { type: 'overloaded_error' } }), 'failed'],
    [
      'Chat Completions whose counts nobody asked for',
      stream,
      `${sse({ choices: [{}] })}data: [DONE]\n\n`,
      'uncounted',
    ],
    ['a list of models', 'application/json', JSON.stringify({ data: [{ id: 'm' }] }), 'open'],
    ['no API', 'text/html', '<p>', 'open'],
  ])('%s', (_api, type, body, end) => {
    expect(readResponseUsage(type, Buffer.from(body)).end).toBe(end)
  })
})

/** A request of the agent or of a program that it starts; a text is the path of a POST. */
type Ask = string | { path: string; method?: string; body?: object }

const said = {
  messages: [{ role: 'user', content: 'hi' }],
  input: 'hi',
  contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
}

/** An agent that sends these requests with the key that it has; its own report has the calls of `own`, each in a step. */
function agentWith(asks: readonly Ask[], own: readonly Usage[], serverOf: (task: EngineTask) => KeyedServer): Engine {
  const run: Engine['run'] = async (task, { emit }) => {
    const { address, keys } = serverOf(task)
    const statuses: number[] = []
    for (const ask of asks) {
      const { path: place, method = 'POST', body = {} } = typeof ask === 'string' ? { path: ask } : ask
      const answer = await fetch(`${task.credentials[address]}${place}`, {
        method,
        headers: { 'x-api-key': task.credentials[keys[0] ?? ''] ?? '', 'anthropic-version': '2023-06-01' },
        ...(method === 'GET' ? {} : { body: JSON.stringify({ model, max_tokens: 9, ...said, ...body }) }),
      })
      statuses.push(answer.status)
      await answer.text()
    }
    for (const step of own.keys()) emit({ type: 'assistant', step: step + 1, text: 'here' })
    const usage = own.length === 0 ? null : own.reduce(addUsage)
    const cost = usage && (await estimateCost(usage, model, 'anthropic'))
    const report = { ...emptyReport, finalResponse: statuses.join(' '), model, provider: 'anthropic', usage, cost }
    return { status: 'completed', report }
  }
  return {
    name: 'command',
    credentials: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
    skillsFolder: '.claude/skills',
    run: withPlaceholders(run, serverOf),
    probe: async () => ({ ok: true, version: null, detail: '' }),
  }
}

const scenario = 'rules: [{ name: all, answer: { text: done } }]'
const keys = { ANTHROPIC_API_KEY: 'real-key-of-a', OPENAI_API_KEY: 'real-key-of-o', GEMINI_API_KEY: 'real-key-of-g' }
const anthropic = ({ credentials }: EngineTask) => providerServer({ provider: 'anthropic', id: model }, credentials)
const openai = ({ credentials }: EngineTask) => providerServer({ provider: 'openai', id: model }, credentials)
const gemini = ({ credentials }: EngineTask) => geminiServer(credentials)

async function perform(
  asks: readonly Ask[],
  own: readonly Usage[],
  serverOf: (task: EngineTask) => KeyedServer,
  url: string,
  more: Partial<EngineTask> = {},
) {
  await using stage = await openStage()
  const addresses = { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, GOOGLE_GEMINI_BASE_URL: url }
  const task = stage.task({ credentials: { ...keys, ...addresses }, ...more })
  const context = { signal: new AbortController().signal, stderrFile: null, emit() {} }
  return (await agentWith(asks, own, serverOf).run(task, context)).report
}

describe('calls that the agent does not report', () => {
  test.each<[string, (task: EngineTask) => KeyedServer, Ask]>([
    ['Messages', anthropic, '/v1/messages'],
    ['Messages, streamed', anthropic, { path: '/v1/messages?beta=true', body: { stream: true } }],
    ['Chat Completions', openai, '/chat/completions'],
    [
      'Chat Completions, streamed',
      openai,
      { path: '/chat/completions', body: { stream: true, stream_options: { include_usage: true } } },
    ],
    ['Responses', openai, '/responses'],
    ['Responses, streamed', openai, { path: '/responses', body: { stream: true } }],
    ['Gemini', gemini, `/v1beta/models/${model}:generateContent`],
    ['Gemini, streamed', gemini, `/v1beta/models/${model}:streamGenerateContent?alt=sse`],
  ])('are counted over %s; those that it reports are not', async (_api, serverOf, ask) => {
    await using server = await practice(scenario)
    const { usage: one } = await perform([ask], [], serverOf, server.url)
    if (one === null) throw new Error('the call has no tokens')
    const report = await perform([ask, ask, ask, ask], [one], serverOf, server.url)
    const tokens = countTokens(one)
    expect(report).toMatchObject({ finalResponse: '200 200 200 200', furtherCalls: { calls: 3, tokens: 3 * tokens } })
    expect(countTokens(report.usage ?? noUsage)).toBe(4 * tokens)
    const honest = await perform([ask, ask], [one, one], serverOf, server.url)
    expect(honest).not.toHaveProperty('furtherCalls')
    expect(honest.usage).toEqual(addUsage(one, one))
  })

  test('are no part of a call that the agent reports in part', async () => {
    await using server = await practice(scenario)
    const part = counted(1, 0)
    expect(await perform(['/v1/messages'], [part], anthropic, server.url)).toMatchObject({ usage: part })
  })

  test('show which tokens came from a cache where the agent counts them as input', async () => {
    await using server = await practice('rules: [{ name: all, text: done, usage: { cache_read: 10 } }]')
    const { usage: one } = await perform(['/v1/messages'], [], anthropic, server.url)
    const { input_tokens: input = 0, cache_read_tokens: cached = 0, output_tokens: output = 0 } = one ?? {}
    expect(cached).toBeGreaterThan(0)
    const report = await perform(['/v1/messages'], [counted(input + cached, output)], anthropic, server.url)
    expect(report.usage).toEqual(one)
    expect(report.cost).toEqual(one && (await estimateCost(one, model, 'anthropic')))
    const other = counted(input + cached + 1, output)
    expect((await perform(['/v1/messages'], [other], anthropic, server.url)).usage).toEqual(other)
  })

  test('do not include counts of tokens, lists, refusals and failures', async () => {
    await using server = await practice(scenario)
    const others: Ask[] = [
      '/v1/messages/count_tokens',
      { path: '/v1/models', method: 'GET' },
      '/v1/files',
      { path: '/v1/messages', body: { messages: 3 } },
    ]
    const report = await perform(others, [], anthropic, server.url)
    expect(report).toMatchObject({ finalResponse: '200 200 403 400', usage: null, refusedRequests: ['POST /v1/files'] })
    expect(report).not.toHaveProperty('furtherCalls')
  })

  test('are counted also if their address says that they only count', async () => {
    await using server = await practice(scenario)
    const report = await perform(['/v1/messages?x=count_tokens', '/v1/messages'], [], anthropic, server.url)
    expect(report).toMatchObject({ finalResponse: '200 200', furtherCalls: { calls: 2 } })
  })

  test('cost as much as their model does, in addition to what the agent reports', async () => {
    await using server = await practice(scenario)
    const { usage: one, cost } = await perform(['/v1/messages'], [], anthropic, server.url)
    const dear = { path: '/v1/messages', body: { model: 'claude-opus-5-5' } }
    const price = async (id: string) => (one && (await estimateCost(one, id, 'anthropic'))?.usd) ?? 0
    expect(cost).toEqual({ usd: await price(model), source: 'estimated' })
    const { cost: both } = await perform(['/v1/messages', dear], one === null ? [] : [one], anthropic, server.url)
    expect(both?.usd).toBeCloseTo((await price(model)) + (await price('claude-opus-5-5')), 9)
    expect(await price('claude-opus-5-5')).toBeGreaterThan(await price(model))
  })

  test('have estimated tokens where nobody asked for counts and the agent reports others', async () => {
    await using server = await practice(scenario)
    const own = (await perform(['/chat/completions'], [], openai, server.url)).usage
    const quiet = { path: '/chat/completions', body: { stream: true } }
    const opening = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`${sse({ choices: [{ delta: {} }] }, { choices: [{}] })}data: [DONE]\n\n`)
    }).listen(0, '127.0.0.1')
    await once(opening, 'listening')
    const info = opening.address()
    const url = `http://127.0.0.1:${typeof info === 'object' ? info?.port : ''}`
    const report = await perform([quiet, quiet], own === null ? [] : [counted(1, 1)], openai, url)
    expect(report.furtherCalls?.calls).toBe(1)
    expect(report.furtherCalls?.tokens).toBeGreaterThan(20)
    expect((await perform([quiet, quiet], [], openai, url)).usage).toBeNull()
    opening.close()
  })

  test('have estimated tokens where the server goes on in the background', async () => {
    const body = JSON.stringify({ id: 'r', object: 'response', status: 'queued', model, usage: null })
    await using server = await practice(scenario)
    const own = (await perform(['/responses'], [], openai, server.url)).usage
    const queue = createServer((_, response) => response.setHeader('content-type', 'application/json').end(body))
    await once(queue.listen(0, '127.0.0.1'), 'listening')
    const info = queue.address()
    const url = `http://127.0.0.1:${typeof info === 'object' ? info?.port : ''}`
    const ask = { path: '/responses', body: { background: true } }
    const report = await perform([ask, ask], own === null ? [] : [counted(1, 1)], openai, url)
    expect(report.furtherCalls?.calls).toBe(1)
    queue.close()
  })

  test('are read from a compressed response too', async () => {
    const body = gzipSync(JSON.stringify({ model, usage: { input_tokens: 5, output_tokens: 2 } }))
    const zipped = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body)
    }).listen(0, '127.0.0.1')
    await once(zipped, 'listening')
    const info = zipped.address()
    const url = `http://127.0.0.1:${typeof info === 'object' ? info?.port : ''}`
    expect((await perform(['/v1/messages'], [], anthropic, url)).furtherCalls).toEqual({ calls: 1, tokens: 7 })
    zipped.close()
  })
})

test("the agent's first request says how the skill's description came", async () => {
  await using server = await practice(scenario)
  const skills = [{ name: 'totals', description: 'Totals invoices by the house rules.', path: '/w/totals' }]
  const ask = (system: string, prompt: string) => {
    const tools = [{ name: 'shell', input_schema: { type: 'object' } }]
    return { path: '/v1/messages', body: { system, tools, messages: [{ role: 'user', content: prompt }] } }
  }
  const [warmup, whole, named] = [
    ask('', 'Warmup'),
    ask(`- totals: ${skills[0]?.description}`, 'add up'),
    ask('- totals', 'add up'),
  ]
  const offers = async (...asks: Ask[]) =>
    (await perform(asks, [], anthropic, server.url, { prompt: 'add up', skills })).offers ?? null
  expect(await offers(warmup, whole, named)).toEqual({ totals: 'full' })
  expect(await offers(named, whole)).toEqual({ totals: 'left_out' })
  expect(await offers(warmup)).toBeNull()
})

describe("a run's record, its budget and the benchmark's notes", () => {
  async function recordOf(asks: readonly Ask[], own: readonly Usage[]) {
    await using server = await practice(scenario)
    const folder = mkdtempSync(path.join(tmpdir(), 'calls-'))
    const user = { ...keys, ANTHROPIC_BASE_URL: server.url }
    return await performIn(folder, specOf(), { engine: agentWith(asks, own, anthropic) }, user)
  }

  test('show the calls of programs and what was refused, and nothing of an agent without', async () => {
    const one = (await recordOf(['/v1/messages'], [])).usage
    if (one === null) throw new Error('the call has no tokens')
    const asks: Ask[] = [...Array.from({ length: 8 }, () => '/v1/messages'), { path: '/v1/files/x', method: 'DELETE' }]
    const record = await recordOf(asks, [one])
    const tokens = countTokens(one)
    expect(record.further_calls).toEqual({ calls: 7, tokens: 7 * tokens })
    expect(record.warnings).toEqual([
      "the agent's programs asked for DELETE /v1/files/x, which the credential proxy refused",
    ])
    const honest = await recordOf(['/v1/messages'], [one])
    expect(honest).not.toHaveProperty('further_calls')
    expect(honest.warnings).toEqual([])
    const [paid, usual] = [readRunUsage(record), readRunUsage(honest)]
    expect(paid.tokens).toBe(8 * tokens)
    expect(paid.usd).toBeCloseTo(8 * (usual.usd ?? 0), 9)
  })

  test('the note counts them', () => {
    const notes = (further_calls?: object) =>
      aggregate(inputOf(arm(1, 'with_skill', ['+', '+'], { record: { further_calls } }))).notes.filter((one) =>
        one.includes('call'),
      )
    expect(notes({ calls: 3, tokens: 1200 })).toEqual([
      "6 further model calls (2,400 tokens) in 2 runs, such as by programs that the agent started, are not in the agent's own report. Tokens, cost and budget include them.",
    ])
    expect(notes()).toEqual([])
  })
})

test.each<[string, readonly string[], (task: EngineTask) => KeyedServer | null]>([
  ['a command for Anthropic', ['/v1/messages', '/messages'], anthropicServer],
  ['a command for OpenAI', ['/chat/completions', '/v1/chat/completions', '/responses', '/v1/responses'], openaiServer],
  ['a command for Google', ['/v1beta/models/:model:generateContent'], googleServer],
])('%s may have the version in its base URL or not', (_what, paths, serverOf) => {
  const credentials = {
    ANTHROPIC_BASE_URL: 'http://a',
    OPENAI_BASE_URL: 'http://o',
    GOOGLE_GEMINI_BASE_URL: 'http://g',
  }
  const requests = serverOf({ ...roomTask, credentials, sandbox: { policy: { network: 'none' } } as never })?.requests
  expect(requests).toEqual(expect.arrayContaining(paths.map((one) => `POST ${one}`)))
})
