/** The practice server: the APIs of Anthropic, OpenAI and Gemini on 127.0.0.1, answering from a scenario. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { errnoCode, errorMessage, UserError } from '../../base/errors/error.ts'
import { isRecord } from '../../base/json/json_text.ts'
import { decideRequest, limitFault } from './endpoints.ts'
import { type LoggedRequest, RequestLog } from './log.ts'
import { Practice } from './practice.ts'
import { sendReply } from './reply.ts'
import { type PracticeRequest, readPracticeRequest } from './request.ts'
import type { Scenario } from './scenario/scenario.ts'
import { findWire } from './wires/table.ts'

export interface PracticeOptions {
  scenario: Scenario
  /** 0 (default): a free port. */
  port?: number
  host?: '127.0.0.1'
  /** Gets each finished request as one JSON line. */
  logFile?: string
}

export interface PracticeServer {
  /** For ANTHROPIC_BASE_URL: http://127.0.0.1:PORT; OPENAI_BASE_URL needs /v1 at the end, GOOGLE_GEMINI_BASE_URL does not. */
  url: string
  port: number
  /** In order of arrival; an open one has status null. */
  requests: readonly LoggedRequest[]
  /** Ends open connections at once. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a server. Throws UserError when the port or the log file is not available. */
export async function startPractice(options: PracticeOptions): Promise<PracticeServer> {
  const { scenario, port = 0, host = '127.0.0.1', logFile } = options
  const log = await RequestLog.open(logFile)
  const shared: Shared = { practice: new Practice(scenario), log, inFlight: 0, closing: new AbortController() }
  const open = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const work = serve(shared, request, response).finally(() => open.delete(work))
    open.add(work)
  })
  server.keepAliveTimeout = 0 // a client that reuses a connection must not find it closed
  const bound = await listen(server, port, host).catch(async (error: unknown) => {
    await log.close()
    throw error
  })
  const end = async () => {
    shared.closing.abort()
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
    await Promise.all(open)
    await log.close()
  }
  let ended: Promise<void> | null = null
  const close = () => {
    ended ??= end()
    return ended
  }
  return { url: `http://${host}:${bound}`, port: bound, requests: log.requests, close, [Symbol.asyncDispose]: close }
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const why = errnoCode(error) === 'EADDRINUSE' ? 'the port is already in use' : errorMessage(error)
    throw new UserError(`can't listen on ${host}:${port}: ${why}`, 'choose another port; 0 picks a free one')
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

interface Shared {
  practice: Practice
  log: RequestLog
  inFlight: number
  closing: AbortController
}

async function serve(shared: Shared, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const signal = AbortSignal.any([gone.signal, shared.closing.signal])
  const received = await readPracticeRequest(request)
  const entry = shared.log.begin(received)
  const asked = translateCloudRequest(received)
  shared.inFlight += 1
  try {
    const decision = decideRequest(asked, entry, { practice: shared.practice, inFlight: shared.inFlight })
    if (entry.fault === limitFault) shared.inFlight -= 1
    const isAwaited = await sleep(decision.wait, true, { signal }).catch(() => false)
    const isWhole =
      isAwaited && (await sendReply(decision.reply, response, { wire: findWire(asked), framing: asked.framing }))
    if (!isWhole) decision.undo()
    if (isAwaited && response.headersSent) entry.status = response.statusCode
  } finally {
    if (entry.fault !== limitFault) shared.inFlight -= 1
    shared.log.end(entry)
  }
}

/** Reads requests at the clouds' addresses of the same APIs: Bedrock, Vertex AI, Microsoft Foundry, Azure OpenAI and OpenRouter. */
interface CloudAddress {
  form: RegExp
  /** The path on the API's own server, and the fields that the cloud takes from the path instead of the body. */
  read: (parts: Readonly<Record<string, string>>) => { path: string; fields?: Record<string, unknown> }
}

const messages = '/v1/messages'

const addresses: readonly CloudAddress[] = [
  {
    form: /^\/model\/(?<model>[^/]+)\/invoke(?<stream>-with-response-stream)?$/,
    read: ({ model = '', stream }) => ({ path: messages, fields: { model, stream: stream !== undefined } }),
  },
  {
    form: /\/publishers\/anthropic\/models\/count-tokens:rawPredict$/,
    read: () => ({ path: `${messages}/count_tokens` }),
  },
  {
    form: /\/publishers\/anthropic\/models\/(?<model>[^/:]+):(?<method>rawPredict|streamRawPredict)$/,
    read: ({ model = '', method }) => ({ path: messages, fields: { model, stream: method === 'streamRawPredict' } }),
  },
  { form: /^\/anthropic(?<path>\/v1\/.+)$/, read: ({ path = '' }) => ({ path }) },
  {
    form: /^\/openai\/deployments\/(?<model>[^/]+)\/chat\/completions$/,
    read: ({ model = '' }) => ({ path: '/v1/chat/completions', fields: { model } }),
  },
  { form: /^\/openai(?:\/v1)?\/(?<rest>.+)$/, read: ({ rest = '' }) => ({ path: `/v1/${rest}` }) },
  { form: /^\/api(?<path>\/v1\/.+)$/, read: ({ path = '' }) => ({ path }) },
]

/** The request as the API's own server would get it; unchanged if it is not at a cloud's address. */
function translateCloudRequest(asked: PracticeRequest): PracticeRequest {
  for (const { form, read } of addresses) {
    const found = form.exec(asked.path)
    if (found === null) continue
    const parts = Object.entries(found.groups ?? {}).flatMap(([name, value]) => {
      return value === undefined ? [] : [[name, decodeURIComponent(value)] as const]
    })
    const { path, fields = {} } = read(Object.fromEntries(parts))
    return {
      ...asked,
      path,
      body: addFields(asked.body, fields),
      framing: asked.path.startsWith('/model/') ? 'aws' : 'sse',
    }
  }
  return asked
}

function addFields(body: PracticeRequest['body'], fields: Record<string, unknown>): PracticeRequest['body'] {
  return body.kind === 'json' && isRecord(body.value) ? { kind: 'json', value: { ...body.value, ...fields } } : body
}
