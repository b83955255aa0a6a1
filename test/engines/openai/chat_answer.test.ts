/** Answers of Chat Completions servers: forms that differ, fields that are missing, and answers that break off. */
import { describe, expect, test } from 'vitest'
import { readChatAnswer } from '../../../src/engines/openai/chat_answer.ts'

const args = '{"verdicts":[]}'
const begin = args.slice(0, 4)
const rest = args.slice(4)
const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const stop = chunk({}, 'stop')
const part = (more: object, given: unknown = args) => ({
  index: 0,
  id: 'c1',
  function: { name: 'submit', arguments: given },
  ...more,
})
const calls = (...parts: object[]) => chunk({ tool_calls: parts })
const empty = { index: 0, id: null, type: null, function: { name: null, arguments: rest } }
const more = (text: string, fields: object) => ({ function: { arguments: text }, ...fields })

function streamed(...events: (object | string)[]): Response {
  const lines = events.map((one) => (typeof one === 'string' ? one : `data: ${JSON.stringify(one)}`))
  return new Response(`${lines.join('\n\n')}\n\n`, { headers: { 'content-type': 'text/event-stream' } })
}

function whole(message: object, fields: object = {}): Response {
  return Response.json({ model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], ...fields })
}

const said = { type: 'text', text: 'ab' }
const [first, second] = [
  { index: 0, delta: { content: 'ab' } },
  { index: 1, delta: { content: 'x' } },
]

describe('a text', () => {
  test.each<[string, Response]>([
    ['streamed', streamed(chunk({ role: 'assistant', content: 'a' }), chunk({ content: 'b' }), stop, 'data: [DONE]')],
    ['without a number of its choice', streamed({ choices: [{ delta: { content: 'ab' }, finish_reason: 'stop' }] })],
    ['in parts of a list', streamed(chunk({ content: [{ type: 'text', text: 'a' }] }), chunk({ content: 'b' }), stop)],
    [
      'beside parts of reasoning',
      streamed(chunk({ content: [{ type: 'thinking', thinking: [{ text: 'x' }] }, said] }), stop),
    ],
    [
      'beside chunks without choices',
      streamed({ choices: null }, chunk({ content: 'ab' }), stop, { usage: null }, { choices: [] }),
    ],
    ['beside another choice', streamed({ choices: [second, first] }, stop)],
    ['without a reason to stop', streamed(chunk({ content: 'ab' }), chunk({}, ''), 'data: [DONE]')],
    ['without the mark of the end', streamed(chunk({ content: 'ab' }), stop)],
    ['with comments', streamed(': PROCESSING', chunk({ content: 'ab' }), ': ping', stop)],
    [
      'without spaces, with other line ends',
      new Response(`data:${JSON.stringify(chunk({ content: 'ab' }))}\r\n\r\ndata:[DONE]`),
    ],
    ['whole, though a stream was asked for', whole({ content: 'ab' })],
    ['whole, without a reason to stop', whole({ content: 'ab' }, { choices: [{ message: { content: 'ab' } }] })],
  ])('%s', async (_, response) => {
    expect(await readChatAnswer(response)).toMatchObject({ text: 'ab', calls: [] })
  })
  test('only reasoning is no text', async () => {
    const response = streamed(chunk({ content: '', reasoning_content: 'ab' }), stop)
    expect(await readChatAnswer(response)).toMatchObject({ text: '' })
  })
})

describe('a call', () => {
  test.each<[string, Response]>([
    ['in one part', streamed(calls(part({})), chunk({}, 'tool_calls'))],
    ['in several', streamed(calls(part({}, begin)), calls(more(rest, { index: 0 })), stop)],
    ['whose name and id are repeated', streamed(calls(part({}, begin)), calls(part({}, rest)), stop)],
    ['whose parts have other ids', streamed(calls(part({}, begin)), calls(more(rest, { index: 0, id: 'c2' })), stop)],
    ['without a number', streamed(calls(part({ index: undefined }, begin)), calls(more(rest, {})), stop)],
    ['with empty fields', streamed(calls(part({}, begin)), calls(empty), stop)],
    ['with an object', streamed(calls(part({}, JSON.parse(args))), stop)],
    ['whole', whole({ content: null, tool_calls: [part({})] })],
    ['of the former API', whole({ function_call: { name: 'submit', arguments: args } })],
  ])('%s', async (_, response) => {
    expect(await readChatAnswer(response)).toMatchObject({ calls: [{ name: 'submit', arguments: args }] })
  })
  test.each<[string, object[]]>([
    ['numbered', [part({}), part({ index: 1, id: 'c2' })]],
    ['without numbers', [part({ index: undefined }), part({ index: undefined, id: 'c2' })]],
    ['with the same number', [part({}), part({ id: 'c2' })]],
  ])('two calls, %s', async (_, parts) => {
    const answer = await readChatAnswer(streamed(...parts.map((one) => calls(one)), stop))
    expect(answer.calls.map(({ id, arguments: text }) => [id, text])).toEqual([
      ['c1', args],
      ['c2', args],
    ])
  })
  test('without an id gets one', async () => {
    expect((await readChatAnswer(whole({ tool_calls: [part({ id: undefined })] }))).calls[0]?.id).toBe('call_0')
  })
})

describe('an answer that breaks off or reports an error', () => {
  test.each<[string, Response, string]>([
    ['a stream that breaks off', streamed(chunk({ content: 'ab' })), 'ended before the answer did'],
    ['an error in a stream', streamed(chunk({ content: 'ab' }), { error: { message: 'boom' } }), 'boom'],
    ['an error as text', streamed(chunk({ content: 'ab' }), { error: 'boom' }), 'boom'],
    ['an error in a field of its own', streamed(chunk({ content: 'ab' }), 'error: {"message":"boom"}'), 'boom'],
    [
      'an error of a choice',
      streamed({ choices: [{ delta: { content: 'ab' }, finish_reason: 'error', error: { message: 'boom' } }] }),
      'boom',
    ],
    ['an error with status 200', Response.json({ error: { message: 'boom' } }), 'boom'],
    ['a content that is a number', streamed(chunk({ content: 7 }), stop), 'the answer: $.choices[0].delta.content'],
  ])('%s', async (_, response, problem) => {
    await expect(readChatAnswer(response)).rejects.toThrow(problem)
  })
})

test('counts and model come from whichever chunk has them', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 2, prompt_tokens_details: null, cost: 0.1 }
  const answer = await readChatAnswer(
    streamed({ model: 'm' }, chunk({ content: 'a' }), stop, { choices: [], usage }, 'data: [DONE]'),
  )
  expect(answer).toMatchObject({ model: 'm', usage, finishReason: 'stop' })
})
