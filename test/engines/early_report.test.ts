/** What is known of a response that was cut off in its middle. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findEngine } from '../../src/engines/table.ts'
import { createEarlyReport } from '../../src/phases/2-run/aborted_report.ts'
import { openStage, perform, type Stage } from './stage.ts'

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage[Symbol.asyncDispose]())

const begin = {
  type: 'message_start',
  message: {
    ...{ id: 'm', type: 'message', role: 'assistant', model: 'claude-sonnet-5-5', content: [] },
    usage: { input_tokens: 700, output_tokens: 2, cache_read_input_tokens: 30 },
  },
}

/** The early report of a run that is aborted while the server is silent, after it has sent this. */
async function cutAfter(sent: string): Promise<Awaited<ReturnType<ReturnType<typeof createEarlyReport>['take']>>> {
  const abort = new AbortController()
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(sent || ': wait\n\n')
    setTimeout(() => abort.abort(new Error('enough')), 100)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const credentials = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` }
  const early = createEarlyReport()
  const { soFar } = early
  const task = stage.task({ credentials, model: 'claude-sonnet-5-5' })
  await expect(perform(findEngine('anthropic'), task, { signal: abort.signal, soFar })).rejects.toThrow('enough')
  server.closeAllConnections()
  server.close()
  return early.take()
}

test('what the server has read is counted', async () => {
  const { usage, cost } = await cutAfter(`event: message_start\ndata: ${JSON.stringify(begin)}\n\n`)
  expect(usage).toEqual({ input_tokens: 700, output_tokens: 2, cache_read_tokens: 30, cache_write_tokens: 0 })
  expect(cost).toMatchObject({ usd: expect.any(Number), source: 'estimated' })
})

test('before that nothing is known, which is not 0', async () => {
  expect(await cutAfter('')).toMatchObject({ usage: null, cost: null })
})
