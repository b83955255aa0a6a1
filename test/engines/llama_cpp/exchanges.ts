/** Exchanges of the engines with llama.cpp's own server: recorded through a proxy, and answered again from the recording. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { keysFor, ofType, openStage, perform, serveHttp } from '../stage.ts'

export const recordingFile = path.join(import.meta.dirname, 'recording.json')

interface Exchange {
  /** Such as "POST /v1/messages". */
  to: string
  request: unknown
  status: number
  type: string
  /** As it was: one JSON text, or a stream of events. */
  answer: string
}

export interface RecordedScene {
  exchanges: Exchange[]
  outcome: unknown
}

export interface ServerRecording {
  /** What the server says of its build. */
  server: string
  model: string
  date: string
  scenes: Record<string, RecordedScene>
}

export const readRecording = (): ServerRecording => JSON.parse(readFileSync(recordingFile, 'utf8'))

interface Scene {
  engine: 'openai' | 'anthropic'
  /** Answered with 404, as by a server that lacks it. */
  lacks?: string
  task: Partial<EngineTask>
}

const answers = { prompt: 'Say hello.', tools: 'none' } as const
const works = { prompt: 'List the files.', maxTurns: 2 }
const chat = { engine: 'openai', lacks: '/v1/responses' } as const

export const scenes: Record<string, Scene> = {
  'Chat Completions': { ...chat, task: answers },
  'Chat Completions with tools': { ...chat, task: works },
  Responses: { engine: 'openai', task: answers },
  'Messages of Anthropic': { engine: 'anthropic', task: answers },
  'Messages of Anthropic with tools': { engine: 'anthropic', task: works },
  'a prompt above the context': { ...chat, task: { ...answers, prompt: 'hello '.repeat(3000) } },
}

/** Runs a scene; what depends on the machine is left out of the outcome. */
export async function playScene({ engine, task }: Scene, url: string, model: string) {
  await using stage = await openStage()
  const { outcome, events } = await perform(
    findEngine(engine),
    stage.task({ ...task, model, credentials: keysFor({ url }) }),
  )
  const { finalResponse, usage, stopReason, answered } = outcome.report
  const error = outcome.status === 'failed' ? { kind: outcome.error.kind, retryable: outcome.error.retryable } : null
  const calls = ofType(events, 'tool_call').map(({ name, input }) => ({ name, input }))
  return { status: outcome.status, error, finalResponse, usage, stopReason, answered, calls }
}

const folderOfStage = /\/[\w/.-]*engine-stage-\w+\/work/g

/** Forwards to the real server. `scene` holds what it and the engine said. */
export async function recordServer(upstream: string, lacks?: string) {
  const exchanges: Exchange[] = []
  const server = await serveHttp(async (request, response) => {
    const [method = '', url = ''] = [request.method, request.url]
    if (url === lacks) return response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    const body = await text(request)
    const headers = { 'content-type': 'application/json' }
    const given = await fetch(`${upstream}${url}`, { method, headers, ...(body !== '' && { body }) })
    const [answer, type] = [await given.text(), given.headers.get('content-type') ?? '']
    const clean = (said: string) => said.replaceAll(folderOfStage, '/work')
    const [asked, { status }] = [clean(body), given]
    exchanges.push({ to: `${method} ${url}`, request: parse(asked), status, type, answer: clean(answer) })
    return response.writeHead(status, { 'content-type': type }).end(answer)
  })
  return { ...server, exchanges }
}

/** Answers from the recording, in its order. */
export async function replayServer(exchanges: readonly Exchange[], lacks?: string) {
  const asked: { to: string; request: unknown }[] = []
  const server = await serveHttp(async (request: IncomingMessage, response) => {
    if (request.url === lacks) return response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    const next = exchanges[asked.length]
    asked.push({ to: `${request.method} ${request.url}`, request: parse(await text(request)) })
    if (next === undefined) return response.writeHead(500).end('{"error": {"message": "not recorded"}}')
    return response.writeHead(next.status, { 'content-type': next.type }).end(next.answer)
  })
  return { ...server, asked }
}

const parse = (body: string): unknown => (body === '' ? null : JSON.parse(body))

/** The fields of a JSON value and their types; of a list the different shapes of its items. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((one) => JSON.stringify(shapeOf(one))))].sort()
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
}
