/** The endpoints of the API: from request to reply, refusing in the same order as the real one. */
import { blocksText } from './conversation.ts'
import type { LoggedRequest } from './log.ts'
import { inputTokens } from './message.ts'
import { brokenReply, faultName, type Practice, type PracticeDecision } from './practice.ts'
import { type Reply, refusalReply } from './reply.ts'
import { bodyLimit, type PracticeRequest } from './request.ts'
import type { Scenario } from './scenario/scenario.ts'
import { isRecord } from './scenario/strict_schema.ts'
import { findWire } from './wires/table.ts'

/** Name in the log of a refusal by the moving limit; such a request takes no slot. */
export const limitFault = 'limit'

interface State {
  practice: Practice
  /** Open requests, this one included. */
  inFlight: number
}

const now = (reply: Reply): PracticeDecision => ({ reply, wait: 0, undo() {} })

/** Decides the reply to a request; fills `entry` with what is known of it. */
export function decideRequest(
  asked: PracticeRequest,
  entry: LoggedRequest,
  { practice, inFlight }: State,
): PracticeDecision {
  note(entry, asked)
  const { scenario } = practice
  if (asked.path === '/') return now({ kind: 'json', body: { practice: true } })
  if (!isKeyGood(scenario, asked.key)) return now(refusalReply(401, 'invalid x-api-key'))
  if (inFlight > (scenario.max_in_flight ?? Number.POSITIVE_INFINITY)) {
    entry.fault = 'max_in_flight'
    return now(refusalReply(429, 'too many requests at once for this practice scenario', 1))
  }
  const full = asked.path === findWire(asked).path ? practice.limit.refuses(inFlight) : null
  if (full !== null) {
    entry.fault = limitFault
    return now(refusalReply(429, 'too many requests at once', full.retry_after ?? null))
  }
  const trouble = practice.globalTrouble(asked.path)
  if (trouble !== null) entry.fault = faultName(trouble)
  const broken = brokenReply(trouble)
  if (broken !== null) return now(broken)
  if (asked.method === 'GET' && /^\/v1\/models(\/|$)/.test(asked.path)) return now(models(scenario, asked.path))
  const batched = practice.batches.answer(asked)
  if (batched !== null) return now(batched)
  const wire = findWire(asked)
  const isCount = asked.path === '/v1/messages/count_tokens'
  if (asked.method !== 'POST' || (asked.path !== wire.path && !isCount)) {
    return now(refusalReply(404, `no such endpoint: ${asked.method} ${asked.path}`))
  }
  if (asked.body.kind === 'too_large') return now(refusalReply(413, `the request is larger than ${bodyLimit} bytes`))
  if (asked.body.kind === 'not_json') return now(refusalReply(400, 'the request body is not valid JSON'))
  const read = wire.read(asked.body.value, isCount)
  if (!read.ok) return now(refusalReply(400, read.why))
  if (!isModelKnown(scenario, read.request.model)) return now(refusalReply(404, `model: ${read.request.model}`))
  if (isCount) return now({ kind: 'json', body: { input_tokens: inputTokens(read.request) } })
  return practice.answer(read.request, entry, trouble)
}

/** Logs what a request says, whether it is answered or not. */
function note(entry: LoggedRequest, asked: PracticeRequest): void {
  const read = findWire(asked).read(asked.body.kind === 'json' ? asked.body.value : null, true)
  if (!read.ok) return
  const { model, system = '', tools = [] } = read.request
  entry.model = model
  entry.system = typeof system === 'string' ? system : blocksText(system)
  entry.messages = sentMessages(asked.body)
  const heat = asked.body.kind === 'json' && isRecord(asked.body.value) ? asked.body.value.temperature : undefined
  if (typeof heat === 'number') entry.temperature = heat
  entry.tools = tools.map(({ name }) => name)
}

/** The messages as sent: `input` in the Responses API, where a text alone is one message. */
function sentMessages(body: PracticeRequest['body']): readonly unknown[] {
  if (body.kind !== 'json' || !isRecord(body.value)) return []
  const { messages, input } = body.value
  return [messages ?? input].flat()
}

function isKeyGood({ require_key: accepted }: Scenario, key: string): boolean {
  return accepted === undefined ? key !== '' : accepted.includes(key)
}

function isModelKnown({ models: known }: Scenario, model: string): boolean {
  return known === undefined || known.includes(model)
}

function models(scenario: Scenario, path: string): Reply {
  const [, id] = /^\/v1\/models\/(.+)$/.exec(path) ?? []
  if (id !== undefined) {
    return isModelKnown(scenario, id) ? { kind: 'json', body: describeModel(id) } : refusalReply(404, `model: ${id}`)
  }
  const list = (scenario.models ?? ['practice-1']).map(describeModel)
  const body = {
    object: 'list',
    data: list,
    has_more: false,
    first_id: list[0]?.id ?? null,
    last_id: list.at(-1)?.id ?? null,
  }
  return { kind: 'json', body }
}

/** With the fields of every wire: clients ignore unknown ones. */
function describeModel(id: string) {
  const created = '2026-01-01T00:00:00Z'
  const openai = { object: 'model', created: Date.parse(created) / 1000, owned_by: 'practice' }
  return { type: 'model', id, display_name: id, created_at: created, ...openai }
}
