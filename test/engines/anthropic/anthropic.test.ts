/** What is particular to the Anthropic engine: whose price counts, what is known of a response that is cut off, what may be cached. */
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { anthropic } from '../../../src/engines/anthropic/anthropic.ts'
import { createEarlyReport } from '../../../src/phases/2-run/run_with_timeout.ts'
import { keysFor, perform, serveHttp, stageOfEachTest } from '../stage.ts'

const stage = stageOfEachTest()

const toEvent = (one: { type: string } & Record<string, unknown>) =>
  `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`
const beginning = (model: string, usage: object) => {
  const message = { id: 'm', type: 'message', role: 'assistant', model, content: [], usage }
  return toEvent({ type: 'message_start', message })
}

describe('the cost is that of the model that answered, which may be another than the name that was asked for', () => {
  const rest = [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'done' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 500 } },
    { type: 'message_stop' },
  ]
  async function reported(model: string) {
    await using server = await serveHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(beginning(model, { input_tokens: 1000, output_tokens: 500 }) + rest.map(toEvent).join(''))
    })
    const task = stage.task({ credentials: keysFor(server), model: 'claude-haiku-5-5' })
    const { report } = (await perform(anthropic, task)).outcome
    return { model: report.model, usd: report.cost?.usd ?? null }
  }
  test('a short name whose own id has no price costs what the model that answered costs', async () => {
    const [haiku, opus] = [await reported('claude-haiku-4-5-20251001'), await reported('claude-opus-5-5')]
    expect(haiku).toEqual({ model: 'claude-haiku-4-5-20251001', usd: expect.any(Number) })
    expect(opus.usd).toBeGreaterThan(haiku.usd ?? Number.NaN)
  })
  test.each(['claude-haiku-5-5', ''])(
    'where the answer names no model with a price (%j) it is not known',
    async (model) => expect(await reported(model)).toEqual({ model: 'claude-haiku-5-5', usd: null }),
  )
})

describe('a response that is cut off in its middle', () => {
  /** The early report of a run that is aborted while the server is silent, after it has sent this. */
  async function cutAfter(sent: string): Promise<Awaited<ReturnType<ReturnType<typeof createEarlyReport>['take']>>> {
    const abort = new AbortController()
    await using server = await serveHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(sent || ': wait\n\n')
      setTimeout(() => abort.abort(new Error('enough')), 100)
    })
    const early = createEarlyReport()
    const task = stage.task({ credentials: keysFor(server), model: 'claude-sonnet-5-5' })
    const running = perform(anthropic, task, { signal: abort.signal, soFar: early.soFar })
    await expect(running).rejects.toThrow('enough')
    return early.take()
  }
  test('what the server has read is counted', async () => {
    const read = { input_tokens: 700, output_tokens: 2, cache_read_input_tokens: 30 }
    const { usage, cost } = await cutAfter(beginning('claude-sonnet-5-5', read))
    expect(usage).toEqual({ input_tokens: 700, output_tokens: 2, cache_read_tokens: 30, cache_write_tokens: 0 })
    expect(cost).toMatchObject({ usd: expect.any(Number), source: 'estimated' })
  })
  test('before that nothing is known, which is not 0', async () => {
    expect(await cutAfter('')).toMatchObject({ usage: null, cost: null })
  })
})

describe('what tasks share at their beginning', () => {
  const block = z.object({ text: z.string(), cache_control: z.looseObject({}).optional() })
  const request = z.object({ messages: z.array(z.object({ content: z.array(block) })) })
  /** The blocks of the first message that the server got. */
  async function sent(more: { sharedPrefix?: number }) {
    const bodies: string[] = []
    await using server = await serveHttp((asked, answer) => {
      void text(asked).then((body) => {
        bodies.push(body)
        answer.writeHead(400, { 'content-type': 'application/json' }).end('{"type":"error","error":{"message":"no"}}')
      })
    })
    await perform(anthropic, stage.task({ prompt: 'the rules, then the run', credentials: keysFor(server), ...more }))
    return request.parse(JSON.parse(bodies[0] ?? '')).messages[0]?.content
  }
  test('is a block of its own that may be cached, and so is the end', async () => {
    const blocks = await sent({ sharedPrefix: 10 })
    expect(blocks?.map(({ text: words }) => words)).toEqual(['the rules,', ' then the run'])
    expect(blocks?.map((one) => one.cache_control)).toEqual([{ type: 'ephemeral' }, { type: 'ephemeral' }])
  })
  test.each<{ sharedPrefix?: number }>([{}, { sharedPrefix: 0 }, { sharedPrefix: 99 }])(
    'a prompt with %j is one block',
    async (more) => {
      expect((await sent(more))?.map(({ text: words }) => words)).toEqual(['the rules, then the run'])
    },
  )
})
