/** An agent that blames the model's server for its end is believed only if that server failed: else the end is the agent's own. */
import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { FailureKind } from '../../../schemas/run.ts'
import type { ForwardedExchange } from '../../../src/base/credential_proxy/exchange_record.ts'
import { withPlaceholders } from '../../../src/engines/cli/key_placeholders.ts'
import { ModelCalls } from '../../../src/engines/cli/model_calls.ts'
import { openaiServer } from '../../../src/engines/command_line.ts'
import { type Engine, type EngineTask, emptyReport } from '../../../src/engines/engine.ts'
import { providerServer } from '../../../src/engines/models/provider_model.ts'
import { openStage } from '../stage.ts'

type Answer = (response: ServerResponse) => void
const html = { 'content-type': 'text/html; charset=utf-8' }
const page = Buffer.from('<!doctype html><body>Log in to this network</body>')
const sse = { 'content-type': 'text/event-stream' }
const good: Answer = (response) => response.end(JSON.stringify({ model: 'm', usage: { input_tokens: 3 } }))
const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end('{}')
const breaksOff: Answer = (response) => {
  response.writeHead(200, sse).write('data: {}\n\n')
  setTimeout(() => response.destroy(), 20)
}
const failsLate: Answer = (response) => {
  response.writeHead(200, sse)
  const begun = { type: 'message_start', message: { usage: { input_tokens: 3 } } }
  response.end(`data: ${JSON.stringify(begun)}\n\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n`)
}

/** Sends one byte of a request, and waits until the server ends it. */
function sendHalf(url: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve) => {
    const asked = request(url, { method: 'POST', headers: { ...headers, 'content-length': '100' } })
    asked.once('close', resolve).once('error', () => {})
    asked.once('response', (answer) => answer.resume())
    asked.write('{')
  })
}

/** What is recorded of an agent that asks the server for these answers and says that it failed so. */
async function end(
  kind: FailureKind,
  answers: readonly Answer[],
  { drop = false, key = 'real-key-of-a', others = false, place = '/v1/messages', half = false } = {},
) {
  const left = [...answers]
  await using stage = await openStage()
  const server = createServer((_request, response) => (left.shift() ?? good)(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  const url = `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}`
  const run: Engine['run'] = async ({ credentials }) => {
    for (const [index] of answers.entries()) {
      const headers = { 'x-api-key': credentials.ANTHROPIC_API_KEY ?? '' }
      if (half && index === answers.length - 1) {
        await sendHalf(`${credentials.ANTHROPIC_BASE_URL}${place}`, headers)
        continue
      }
      const signal = drop ? AbortSignal.timeout(50) : null
      const asked = { method: 'POST', headers, body: '{}', signal }
      await fetch(`${credentials.ANTHROPIC_BASE_URL}${place}`, asked)
        .then((answer) => answer.text())
        .catch(() => {})
    }
    const error = { kind, message: 'it failed', retryable: true, retryAfterMs: null }
    return { status: 'failed', error, report: { ...emptyReport, retrying: error } }
  }
  const serverOf = (task: EngineTask) => providerServer({ provider: 'anthropic', id: 'm' }, task.credentials)
  const placed = withPlaceholders(run, ...[serverOf, openaiServer].slice(0, others ? 2 : 1))
  const credentials = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }
  const context = { signal: new AbortController().signal, stderrFile: null, emit() {} }
  const outcome = await placed(stage.task({ credentials }), context)
  server.closeAllConnections()
  server.close()
  if (outcome.status !== 'failed') throw new Error(outcome.status)
  return [outcome.error.kind, outcome.report.retrying?.kind ?? null]
}

/** Of a run that was ended from outside while this exchange was open, after the server's idle limit of 120 s. */
async function cutReport(exchange: Partial<ForwardedExchange>, reported = emptyReport) {
  const begun = { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } }
  const body = Buffer.from(`data: ${JSON.stringify(begun)}\n\n`)
  const open = {
    end: 'dropped',
    sent: 2,
    request: [],
    silentMs: 0,
    activeMs: 0,
    status: 200,
    headers: sse,
    body,
  } as const
  const calls = new ModelCalls(true, { prompt: '', skills: [] })
  calls.follow('POST /v1/messages', 'anthropic')({ ...open, ...exchange })
  const { answered, usage, retrying } = await calls.completeCut(reported, 120_000)
  return [answered, usage?.input_tokens ?? null, retrying?.kind ?? null]
}

test.each<[string, Partial<ForwardedExchange>, unknown[]]>([
  ['that was arriving counts', { activeMs: 900, silentMs: 100 }, [true, 3, null]],
  ['that had stalled is none', { activeMs: 100, silentMs: 900 }, [false, null, null]],
  ['without an event is none', { activeMs: 900, silentMs: 100, body: Buffer.from('') }, [false, null, null]],
  ['of a server silent for two minutes is its failure', { silentMs: 120_000 }, [false, null, 'server_error']],
])('when the time is over, a response %s', async (_what, exchange, expected) => {
  expect(await cutReport(exchange)).toEqual(expected)
})

describe('a failure that the agent blames on the server', () => {
  test.each<FailureKind>(['unreachable', 'rate_limited', 'overloaded', 'server_error'])(
    '%s is its own where each request was answered',
    async (kind) => expect(await end(kind, [good, status(400), good])).toEqual(['crash', null]),
  )
  test('also where it dropped a request at once', async () => {
    expect(await end('unreachable', [good, () => {}], { drop: true })).toEqual(['crash', null])
  })
  test.each<[string, readonly Answer[]]>([
    ['knew no such request', [good, status(404)]],
    ['refused a changed key after answers', [good, status(401)]],
    ['was busy once and then answered', [status(529), good]],
    ['broke one response off and answered the next', [good, breaksOff, good]],
  ])('also where the server %s', async (_what, answers) => {
    expect(await end('overloaded', answers)).toEqual(['crash', null])
  })
  test('also where the server gave up waiting for the rest of a request', async () => {
    expect(await end('rate_limited', [good, (response) => response.socket?.destroy()], { half: true })).toEqual([
      'crash',
      null,
    ])
  })
  test.each<[string, string, Partial<ForwardedExchange>, boolean]>([
    ['was dropped after bytes', 'POST /v1/messages', { end: 'dropped', silentMs: 100 }, false],
    ['control: was dropped after a long silence', 'POST /v1/messages', { end: 'dropped', silentMs: 31_000 }, true],
    ['was not sent whole', 'POST /v1/messages', { end: 'cut', status: 408 }, false],
    ['spends nothing, and was refused', 'POST /v1/messages/count_tokens', { status: 429 }, false],
    ['spends nothing, and was refused', 'GET /v1/models', { status: 429 }, false],
    ['control: asks the model, and was refused', 'POST /v1/messages', { status: 429 }, true],
    ['control: got a page in place of an answer', 'POST /v1/messages', { headers: html, body: page }, true],
    ['control: got a stream without events', 'POST /v1/messages', { body: Buffer.from('\n') }, true],
    ['got a page that is not from the model', 'GET /v1/models', { headers: html, body: page }, false],
    ['control: lists models on a broken server', 'GET /v1/models', { status: 503 }, true],
  ])('a request that %s: %s', async (_what, asked, exchange, isBelieved) => {
    const calls = new ModelCalls(true, { prompt: '', skills: [] })
    calls.isProxied = true
    const whole = {
      end: 'whole',
      sent: 2,
      request: [],
      silentMs: 0,
      activeMs: 0,
      status: 200,
      headers: sse,
      body: Buffer.from('data: {}\n\n'),
    } as const
    calls.follow(asked, 'anthropic')({ ...whole, ...exchange })
    const error = { kind: 'overloaded' as const, message: 'it failed', retryable: true, retryAfterMs: null }
    const { retrying } = await calls.complete({ ...emptyReport, retrying: error })
    const wanted = isBelieved ? ['overloaded', 'overloaded'] : ['crash', null]
    expect([calls.correctBlame(error).kind, retrying?.kind ?? null]).toEqual(wanted)
  })
  test.each<[string, FailureKind, Answer]>([
    ['said that it is busy', 'overloaded', status(529)],
    ['broke a response off', 'unreachable', breaksOff],
    ['closed the connection', 'unreachable', (response) => response.destroy()],
    ['failed inside a response', 'overloaded', failsLate],
  ])('control: it stays where the server %s', async (_what, kind, answer) => {
    expect(await end(kind, [good, answer])).toEqual([kind, kind])
  })
  test.each<FailureKind>(['credentials', 'server_error'])(
    'control: %s stays where the server refused the key',
    async (kind) => {
      expect(await end(kind, [status(401), status(401)])).toEqual([kind, kind])
    },
  )
  test.each<FailureKind>(['rate_limited', 'overloaded'])('%s is its own where it sent no request', async (kind) => {
    expect(await end(kind, [])).toEqual(['crash', null])
  })
  test.each<FailureKind>(['rate_limited', 'overloaded'])(
    '%s is its own where the proxy refused its requests',
    async (kind) => {
      expect(await end(kind, [good, good], { place: '/v1/files' })).toEqual(['crash', null])
    },
  )
  test.each<FailureKind>(['unreachable', 'server_error'])(
    'control: %s stays without a request: the agent may not reach the proxy',
    async (kind) => expect(await end(kind, [])).toEqual([kind, kind]),
  )
  test('control: overloaded stays without a request where the agent has a login of its own, or may ask another server', async () => {
    expect(await end('overloaded', [], { key: '' })).toEqual(['overloaded', 'overloaded'])
    expect(await end('overloaded', [], { others: true })).toEqual(['overloaded', 'overloaded'])
  })
  test.each<FailureKind>(['bad_request', 'credentials'])(
    'control: %s stays: Google refuses a key as a bad request',
    async (kind) => {
      expect(await end(kind, [good])).toEqual([kind, null])
    },
  )
})
