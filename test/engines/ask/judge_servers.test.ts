/** Judges on servers that differ in what they accept and how they answer: one reader, no invented verdict, a cut answer named as that. */
import { describe, expect, test } from 'vitest'
import { askEngine } from '../../../src/engines/ask/ask.ts'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { findMissingVerdicts, judgeAnswer } from '../../../src/phases/3-judge/judge/judge_answer.ts'
import { type ChatReply, type ChatRequest, startChatServer } from '../../fixtures/chat_server.ts'
import { environment, temporary } from '../../phases/3-judge/scene.ts'
import { keysFor, practice } from '../stage.ts'

const whole = [{ n: 1, passed: true, evidence: '"done 42"' }]
const json = JSON.stringify({ verdicts: whole })

async function ask(
  name: 'openai' | 'anthropic',
  credentials: EngineTask['credentials'],
  more: Partial<EngineTask> = {},
) {
  return await askEngine({
    engine: findEngine(name),
    task: {
      prompt: '<expectations>\n1. one\n</expectations>',
      model: name === 'openai' ? 'local-1' : null,
      command: null,
      cwd: await temporary(),
      env: environment,
      credentials,
      skills: [],
      tools: 'read_only',
      maxTurns: 10,
      sandbox: null,
      ...more,
    },
    schema: judgeAnswer,
    context: { signal: new AbortController().signal, emit: () => {}, stderrFile: null },
    review: (answer) => findMissingVerdicts(answer, ['a']),
    limits: { baseMs: 1 },
  })
}

async function askChat(
  reply: (request: ChatRequest, number: number) => ChatReply,
  more: Partial<EngineTask> = {},
  other?: { status: number; body: { error: { message: string } } },
) {
  await using server = await startChatServer(reply, other)
  const asked = await ask('openai', { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: server.url }, more)
  return { asked, requests: server.requests }
}

describe('an answer on a Chat Completions server', () => {
  test.each<[string, ChatReply]>([
    ['a call of the tool', { submit: json }],
    ['text behind reasoning', { text: `<think>\nLet me see {"n":1}\n</think>\n\n${json}` }],
    ['text with types as strings', { text: '{"verdicts":[{"n":"1","passed":"true","evidence":"\\"done 42\\""}]}' }],
  ])('%s takes one request', async (_, reply) => {
    const { asked, requests } = await askChat(() => reply)
    expect(asked).toMatchObject({ status: 'answered', value: { verdicts: whole } })
    expect(requests).toHaveLength(1)
  })
  test('prose, then the answer to the request for it', async () => {
    const { asked, requests } = await askChat((_, number) => ({ text: number === 1 ? 'It passes.' : json }))
    expect(asked).toMatchObject({ status: 'answered', value: { verdicts: whole } })
    expect(requests[1]?.tool_choice).toEqual({ type: 'function', function: { name: 'submit' } })
  })
  test.each<[string, ChatReply, string]>([
    ['prose', { text: 'All pass.' }, 'no JSON answer was found in it'],
    ['a call with two verdicts in one', { submit: json.replace('true', 'true,"passed":false') }, 'the answer'],
  ])('%s is an error', async (_, reply, error) => {
    const { asked } = await askChat(() => reply)
    expect(asked).toMatchObject({ status: 'error', error: expect.stringContaining(error) })
  })
})

describe('a server that refuses', () => {
  const noTools = 'registry/x does not support tools'
  const refusing = (...formats: string[]) =>
    function reply({ tools, response_format: format }: ChatRequest): ChatReply {
      if (tools !== undefined) return { refuse: noTools }
      if (format && formats.includes(format.type)) return { refuse: `response_format.type ${format.type} is unknown` }
      return { text: json }
    }
  test.each<[string, string[], (string | undefined)[]]>([
    ['tools', [], ['json_schema']],
    ['tools and json_schema', ['json_schema'], ['json_schema', 'json_object']],
    ['tools and every format', ['json_schema', 'json_object'], ['json_schema', 'json_object', undefined]],
  ])('%s', async (_, formats, sent) => {
    const { asked, requests } = await askChat(refusing(...formats), { toolsOptional: true })
    expect(asked).toMatchObject({ status: 'answered', value: { verdicts: whole } })
    expect(requests.slice(1).map(({ response_format: format }) => format?.type)).toEqual(sent)
    expect(requests.at(-1)?.messages.at(-1)?.content).toContain('fits this JSON Schema')
    expect(requests.at(-1)?.messages[0]?.content).not.toBe(requests[0]?.messages[0]?.content)
  })
  test.each<[string, number, unknown]>([
    ['llama.cpp', 500, { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } }],
    ['llama.cpp before', 500, { code: 500, message: 'Unsupported param: tools', type: 'server_error' }],
    ['vLLM before', 400, { object: 'error', message: '"auto" tool choice requires --enable-auto-tool-choice' }],
    ['a FastAPI server', 422, { detail: [{ loc: ['body', 'tools'], msg: 'Extra inputs are not permitted' }] }],
    ['LM Studio', 400, { error: "Invalid field 'tools'" }],
    ['LiteLLM', 500, { error: { message: "UnsupportedParamsError: ollama does not support parameters: ['tools']" } }],
  ])('tools, in the words of %s', async (_, status, body) => {
    const refuse = { status, body }
    const { asked, requests } = await askChat(({ tools }) => (tools ? { refuse } : { text: json }), {
      toolsOptional: true,
    })
    expect(asked).toMatchObject({ status: 'answered', value: { verdicts: whole } })
    expect(requests).toHaveLength(2)
  })
  test.each([
    ['a model without tools', 400, 'registry/x does not support tools'],
    ['LM Studio', 200, 'Unexpected endpoint or method. (POST /v1/responses)'],
  ])('the request to its Responses API: %s', async (_, status, message) => {
    const other = { status, body: { error: { message } } }
    const { asked } = await askChat(refusing(), { toolsOptional: true }, other)
    expect(asked).toMatchObject({ status: 'answered', value: { verdicts: whole } })
  })
  test('every request to its Responses API, for another reason', async () => {
    const other = { status: 400, body: { error: { message: 'the model is too large' } } }
    const { asked, requests } = await askChat(refusing(), { toolsOptional: true }, other)
    expect(asked).toMatchObject({ status: 'error', error: 'bad_request: 400 the model is too large' })
    expect(requests).toHaveLength(0)
  })
  test('nothing, but fails while it works on a call: that is a fault of the server', async () => {
    const refuse = { status: 500, body: { error: { message: 'the tool call parser crashed' } } }
    const { asked, requests } = await askChat(() => ({ refuse }), { toolsOptional: true })
    expect(asked).toMatchObject({ status: 'error', error: 'server_error: 500 the tool call parser crashed' })
    expect(requests.every(({ tools }) => tools !== undefined)).toBe(true)
  })
  test('to report its usage in a stream', async () => {
    const refuse = { status: 422, body: { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs' }] } }
    const { asked, requests } = await askChat(({ stream_options: usage }) => (usage ? { refuse } : { text: json }))
    expect(asked).toMatchObject({ status: 'answered', value: { verdicts: whole } })
    expect(requests).toHaveLength(2)
  })
  test('tools, while the run is not all in the prompt: a judge that sees a part decides nothing', async () => {
    const { asked, requests } = await askChat(refusing())
    expect(asked).toMatchObject({ status: 'error', error: `bad_request: 400 ${noTools}` })
    expect(requests).toHaveLength(1)
  })
})

describe('an answer that was cut at the output limit', () => {
  const cut = "the judge's answer was cut at its output limit"
  test.each<[string, ChatReply]>([
    ['text whose JSON is complete', { text: json, finish: 'length' }],
    ['reasoning', { text: '<think>hm', finish: 'length' }],
    ['a call', { submit: json.slice(0, 30), finish: 'length' }],
  ])('%s, over Chat Completions', async (_, reply) => {
    const { asked, requests } = await askChat(() => reply)
    const fix = 'use a judge with a higher limit, or fewer expectations per case'
    expect(asked).toMatchObject({ status: 'error', error: `${cut} of 77 tokens: ${fix}` })
    expect(requests).toHaveLength(2)
    expect(requests[1]?.messages.at(-1)?.content).toContain(cut)
  })
  test('the judge may answer more briefly', async () => {
    const { asked } = await askChat((_, number) => (number === 1 ? { text: json, finish: 'length' } : { text: json }))
    expect(asked).toMatchObject({ status: 'answered', spent: { calls: 2 } })
  })
  test.each(['openai', 'anthropic'] as const)('over the API of %s', async (name) => {
    await using server = await practice('rules: [{ name: a, answer: { text: "I see", stop_reason: max_tokens } }]')
    const asked = await ask(name, keysFor(server))
    expect(asked).toMatchObject({
      status: 'error',
      error: expect.stringMatching(new RegExp(`^${cut} of \\d+ tokens: `)),
    })
  })
})
