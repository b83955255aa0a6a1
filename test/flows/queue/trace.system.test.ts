/** A benchmark through a queue is one trace: its coordinator sends the span at the root, workers those of its runs below. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { getRedactor } from '../../../src/base/secrets/redact.ts'
import { openObservers } from '../../../src/flows/queue/observe/observers.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { needsRedis, startRedis } from '../../jobs/queue/servers.ts'
import { benchHere, makeAgent, wishFor, workHere } from './here.ts'

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
}

async function startCollector() {
  const spans: Span[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += String(part)
    for (const { scopeSpans } of JSON.parse(body).resourceSpans) for (const one of scopeSpans) spans.push(...one.spans)
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { spans, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() }
}

needsRedis('the trace of a benchmark', () => {
  test('has its root from the coordinator, and each run below it', async () => {
    await using server = await startRedis()
    await using collector = await startCollector()
    const agent = makeAgent()
    const shared = fresh()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    const skill = makeSkill([{ id: 1, prompt: 'one', checks: [{ type: 'contains', value: 'TIDY' }] }])
    {
      const log = { format: 'json' as const, write: () => {}, now: () => new Date(), redactor: getRedactor({}) }
      await using observers = await openObservers({ log, metrics: null, version: 'test', env })
      await using worker = await workHere(server.url, shared)
      await benchHere({ skill, engine: agent.engine, workspace: fresh(), queue: wishFor(server.url, shared) }, { env })
      for (const event of worker.told) observers.tell(event)
    }
    const [root, ...others] = collector.spans.filter(({ name }) => name === 'benchmark tidy')
    expect(others).toEqual([])
    expect(root?.parentSpanId ?? '').toBe('')
    const runs = collector.spans.filter(({ name }) => name === 'invoke_agent command')
    const below = { traceId: root?.traceId, parentSpanId: root?.spanId }
    expect(runs).toEqual(Array(2).fill(expect.objectContaining(below)))
  }, 60_000)
})
