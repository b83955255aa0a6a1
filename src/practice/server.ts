/** The practice model: an HTTP server on loopback that speaks the Anthropic Messages API from a scenario. */
import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, UserError } from '../base/error.ts'
import { type Answer, answerOf } from './answer.ts'
import { type Conversation, conversationOf, type MessagesRequest, messagesRequest } from './conversation.ts'
import { dueFault, FaultCounts, latencyOf } from './faults.ts'
import { type Captures, matchRule } from './match.ts'
import { countTokens, errorBody, replyOf, streamOf } from './protocol.ts'
import type { Fault, Rule, Scenario } from './scenario.ts'

/** What a request was and how it was answered; never its key. */
export interface LoggedRequest {
  n: number
  at: string
  method: string
  path: string
  user_agent: string | null
  status: number
  model: string | null
  system: string
  messages: unknown
  tools: string[]
  turn: number
  seed: number
  rule: string | null
  fault: string | null
}

export interface PracticeServer extends AsyncDisposable {
  url: string
  port: number
  requests: readonly LoggedRequest[]
  close(): Promise<void>
}

export interface PracticeOptions {
  scenario: Scenario
  /** 0 or absent: a free one. */
  port?: number
  /** Each finished request is appended as a JSON line. */
  logFile?: string
}

/** Starts the server on 127.0.0.1. Throws UserError when the port is taken. */
export async function startPractice(options: PracticeOptions): Promise<PracticeServer> {
  const state = new PracticeState(options)
  const server = createServer((request, response) => {
    state.handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) send(response, 500, errorBody(500, messageOf(error)))
      else response.destroy()
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new UserError(`practice server: ${messageOf(error)}`, 'choose another --port')),
    )
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      state.end()
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, port, requests: state.requests, close, [Symbol.asyncDispose]: close }
}

const bodyLimit = 64 * 1024 * 1024

class PracticeState {
  readonly requests: LoggedRequest[] = []
  readonly #options: PracticeOptions
  readonly #faults = new FaultCounts()
  readonly #begun = new Map<string, number>()
  readonly #ended = new AbortController()
  #number = 0
  #inFlight = 0

  constructor(options: PracticeOptions) {
    this.#options = options
  }

  end(): void {
    this.#ended.abort()
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const entry = this.#entry(request, path)
    response.once('close', () => this.#log({ ...entry, status: response.statusCode }))
    const { scenario } = this.#options
    if (path === '/' || request.method === 'HEAD') return send(response, 200, '{}')
    if (!hasKey(request, scenario)) return send(response, 401, errorBody(401, 'invalid x-api-key'))
    if (path.startsWith('/v1/models')) return send(response, 200, modelsBody(path, scenario))
    if (request.method !== 'POST' || !/^\/v1\/messages(\/count_tokens)?$/.test(path)) {
      return send(response, 404, errorBody(404, `practice model: no such endpoint: ${request.method} ${path}`))
    }
    const body = await parsedBody(request)
    if (typeof body === 'string') return send(response, 400, errorBody(400, body))
    if (scenario.models && !scenario.models.includes(body.model)) {
      return send(response, 404, errorBody(404, `model: ${body.model}`))
    }
    if (path.endsWith('/count_tokens')) {
      return send(response, 200, JSON.stringify({ input_tokens: countTokens(body) }))
    }
    this.#inFlight += 1
    try {
      await this.#answer({ body, response, entry, number: entry.n })
    } finally {
      this.#inFlight -= 1
    }
  }

  async #answer(exchange: Exchange): Promise<void> {
    const { scenario } = this.#options
    const { body, response, entry } = exchange
    const conversation = conversationOf(body)
    const seed = conversation.seed ?? this.#nextSeed(conversation.key)
    Object.assign(entry, described(body, conversation, seed))
    if (scenario.max_in_flight !== undefined && this.#inFlight > scenario.max_in_flight) {
      entry.fault = 'max_in_flight'
      return send(response, 429, errorBody(429, 'too many requests at once'), { 'retry-after': '0' })
    }
    const found = this.#rule(conversation, seed)
    entry.rule = found?.rule.name ?? null
    const wait = latencyOf(found?.rule.latency ?? scenario.latency, `${scenario.seed ?? 0} ${entry.n}`)
    if (wait > 0) await sleep(wait, undefined, { signal: this.#ended.signal })
    const fault = dueFault(this.#faults, [found?.rule.fault, ...(scenario.faults ?? [])])
    if (fault !== null) return this.#fail(fault, exchange)
    const answer = found ? answerOf(found.rule, found.captures, { conversation, seed }) : noRule(scenario)
    const reply = replyOf(answer, { request: body, seed, number: entry.n })
    if (body.stream) return stream(response, streamOf(reply))
    send(response, 200, JSON.stringify(reply))
  }

  /** The Nth conversation that begins alike, from 0. */
  #nextSeed(key: string): number {
    const next = this.#begun.get(key) ?? 0
    this.#begun.set(key, next + 1)
    return next
  }

  #rule(conversation: Conversation, seed: number): { rule: Rule; captures: Captures } | null {
    const { scenario } = this.#options
    for (const rule of scenario.rules) {
      const captures = matchRule(rule.when ?? {}, { conversation, seed, salt: scenario.seed ?? 0 })
      if (captures !== null) return { rule, captures }
    }
    return null
  }

  async #fail(fault: Fault, { response, entry, body }: Exchange): Promise<void> {
    entry.fault = fault.kind ?? String(fault.status ?? 500)
    switch (fault.kind) {
      case 'hang':
        await new Promise((resolve) => response.once('close', resolve))
        return
      case 'malformed':
        return body.stream
          ? stream(response, ['event: message_start\ndata: {"type": "mess\n\n'])
          : send(response, 200, '{"type": "mess')
      case 'cut': {
        const begun = streamOf(
          replyOf(
            { text: 'cut off', toolCalls: [], stopReason: 'end_turn' },
            { request: body, seed: 0, number: entry.n },
          ),
        )
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(begun.slice(0, 3).join(''), () => response.destroy())
        return
      }
      case undefined: {
        const status = fault.status ?? 500
        const wait: Record<string, string> =
          fault.retry_after === undefined ? {} : { 'retry-after': String(fault.retry_after) }
        return send(response, status, errorBody(status, `practice fault ${status}`), wait)
      }
    }
  }

  #entry(request: IncomingMessage, path: string): LoggedRequest {
    this.#number += 1
    return {
      n: this.#number,
      at: new Date().toISOString(),
      method: request.method ?? '',
      path,
      user_agent: request.headers['user-agent'] ?? null,
      ...{ status: 0, model: null, system: '', messages: null, tools: [], turn: 0, seed: 0, rule: null, fault: null },
    }
  }

  #log(entry: LoggedRequest): void {
    this.requests.push(entry)
    if (this.#options.logFile) appendFileSync(this.#options.logFile, `${JSON.stringify(entry)}\n`)
  }
}

interface Exchange {
  body: MessagesRequest
  response: ServerResponse
  entry: LoggedRequest
  number: number
}

function described(body: MessagesRequest, conversation: Conversation, seed: number) {
  const { system, tools, turn } = conversation
  return { model: body.model, system, messages: body.messages, tools: [...tools], turn, seed }
}

function noRule(scenario: Scenario): Answer {
  const names = scenario.rules.map((rule) => rule.name).join(', ')
  return {
    text: `The practice model has no rule for this. Its rules: ${names}.`,
    toolCalls: [],
    stopReason: 'end_turn',
  }
}

function hasKey(request: IncomingMessage, scenario: Scenario): boolean {
  const { 'x-api-key': key, authorization } = request.headers
  const given = typeof key === 'string' ? key : authorization?.replace(/^Bearer\s+/i, '')
  return Boolean(given) && (scenario.keys === undefined || scenario.keys.includes(given ?? ''))
}

function modelsBody(path: string, scenario: Scenario): string {
  const model = (id: string) => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' })
  const one = path.split('/')[3]
  if (one) return JSON.stringify(model(one))
  const data = (scenario.models ?? ['practice-1']).map(model)
  return JSON.stringify({ data, has_more: false, first_id: data[0]?.id, last_id: data.at(-1)?.id })
}

async function parsedBody(request: IncomingMessage): Promise<MessagesRequest | string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > bodyLimit) return 'the request is too large'
    chunks.push(chunk)
  }
  try {
    const parsed = messagesRequest.safeParse(JSON.parse(Buffer.concat(chunks).toString('utf8')))
    return parsed.success ? parsed.data : (parsed.error.issues[0]?.message ?? 'not a messages request')
  } catch {
    return 'the body is not JSON'
  }
}

function send(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_practice', ...headers }).end(body)
}

function stream(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': 'req_practice',
  })
  response.end(events.join(''))
}
