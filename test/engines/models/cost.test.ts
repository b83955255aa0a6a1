/** Whose price counts: that of the model that answered, which may be another than the name that was asked for. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findEngine } from '../../../src/engines/table.ts'
import { openStage, perform, type Stage } from '../stage.ts'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage[Symbol.asyncDispose]())

/** What a server says that answers as this model. */
function answerOf(model: string): string {
  const usage = { input_tokens: 1000, output_tokens: 500 }
  const message = { id: 'm', type: 'message', role: 'assistant', model, content: [], usage }
  const events = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'done' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 500 } },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

async function reported(model: string) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answerOf(model))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const credentials = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` }
  const { outcome } = await perform(findEngine('anthropic'), stage.task({ credentials, model: 'claude-haiku-5-5' }))
  server.close()
  return { model: outcome.report.model, usd: outcome.report.cost?.usd ?? null }
}

test('a short name whose own id has no price costs what the model that answered costs', async () => {
  const [haiku, opus] = [await reported('claude-haiku-4-5-20251001'), await reported('claude-opus-5-5')]
  expect(haiku).toEqual({ model: 'claude-haiku-4-5-20251001', usd: expect.any(Number) })
  expect(opus.usd).toBeGreaterThan(haiku.usd ?? Number.NaN)
})

test.each(['claude-haiku-5-5', ''])(
  'where the answer names no model with a price (%j) it is not known',
  async (model) => {
    expect(await reported(model)).toEqual({ model: 'claude-haiku-5-5', usd: null })
  },
)

test.each(['haiku', 'sonnet', 'opus'])(
  'the short name %s has a known price, so that a budget can be kept',
  async (name) => {
    const { reports } = findEngine('anthropic')
    expect(await reports?.(name)).toMatchObject({ cost: true, tokens: true })
  },
)
test('a model without a listed price has none, and none is made up', async () => {
  expect(await findEngine('anthropic').reports?.('claude-haiku-5-5')).toMatchObject({ cost: false })
})
