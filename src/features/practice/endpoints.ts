/** The endpoints of the API: from request to reply, refusing in the same order as the real one. */
import { isRecord } from '../../base/json/json_text.ts'
import { blocksText } from './conversation.ts'
import type { LoggedRequest } from './log.ts'
import { inputTokens } from './message.ts'
import { brokenReply, faultName, type Practice, type PracticeDecision } from './practice.ts'
import { type Reply, refusalReply } from './reply.ts'
import { bodyLimit, type PracticeRequest } from './request.ts'
import type { Scenario } from './scenario/scenario.ts'
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
  const isKeyGood = scenario.require_key?.includes(asked.key) ?? asked.key !== ''
  if (!isKeyGood) return now(refusalReply(401, 'invalid x-api-key'))
  if (inFlight > (scenario.max_in_flight ?? Number.POSITIVE_INFINITY)) {
    entry.fault = 'max_in_flight'
    return now(refusalReply(429, 'too many requests at once for this practice scenario', 1))
  }
  const wire = findWire(asked)
  const route = asked.method === 'POST' ? wire.route(asked.path) : null
  const full = route?.counting === false ? practice.limit.refuses(inFlight) : null
  if (full !== null) {
    entry.fault = limitFault
    return now(refusalReply(429, 'too many requests at once', full.retry_after ?? null))
  }
  const trouble = practice.globalTrouble(asked.path)
  if (trouble !== null) entry.fault = faultName(trouble)
  const broken = brokenReply(trouble)
  if (broken !== null) return now(broken)
  const listed = asked.method === 'GET' ? modelsReply(scenario, asked.path) : null
  if (listed !== null) return now(listed)
  if (asked.method === 'GET' && asked.path === '/v1/key')
    return now({ kind: 'json', body: { data: { label: 'practice' } } })
  const batched = practice.batches.answer(asked)
  if (batched !== null) return now(batched)
  if (route === null) return now(refusalReply(404, `no such endpoint: ${asked.method} ${asked.path}`))
  if (asked.body.kind === 'too_large') return now(refusalReply(413, `the request is larger than ${bodyLimit} bytes`))
  if (asked.body.kind === 'not_json') return now(refusalReply(400, 'the request body is not valid JSON'))
  const read = wire.read(asked.body.value, route)
  if (!read.ok) return now(refusalReply(400, read.why))
  if (!isModelKnown(scenario, read.request.model)) return now(refusalReply(404, `model: ${read.request.model}`))
  if (route.counting) return now({ kind: 'json', body: wire.count?.(inputTokens(read.request)) })
  return practice.answer(read.request, entry, trouble)
}

/** Logs what a request says, whether it is answered or not. */
function note(entry: LoggedRequest, asked: PracticeRequest): void {
  const wire = findWire(asked)
  const route = { ...wire.route(asked.path), counting: true }
  const read = wire.read(asked.body.kind === 'json' ? asked.body.value : null, route)
  if (!read.ok) return
  const { model, system = '', tools = [] } = read.request
  entry.model = model
  entry.system = typeof system === 'string' ? system : blocksText(system)
  const sent = asked.body.kind === 'json' && isRecord(asked.body.value) ? asked.body.value : {}
  // `input` in the Responses API, where a text alone is one message, `contents` in the Gemini API
  entry.messages = [sent.messages ?? sent.input ?? sent.contents].flat()
  const { temperature, generationConfig: config } = sent
  const heat = isRecord(config) ? config.temperature : temperature
  if (typeof heat === 'number') entry.temperature = heat
  const gemini = isRecord(config) && isRecord(config.thinkingConfig) ? config.thinkingConfig : {}
  const effort = sentEffort(sent) ?? gemini.thinkingLevel
  if (typeof effort === 'string') entry.effort = effort
  const budget = isRecord(sent.thinking) ? sent.thinking.budget_tokens : gemini.thinkingBudget
  if (typeof budget === 'number') entry.thinking_budget = budget
  entry.tools = tools.map(({ name }) => name)
}

/** In output_config of Messages, in reasoning of Responses, or as reasoning_effort of Chat Completions; undefined: in none. */
function sentEffort({ output_config: config, reasoning, reasoning_effort: plain }: Record<string, unknown>): unknown {
  const found = [isRecord(config) && config.effort, isRecord(reasoning) && reasoning.effort, plain]
  return found.find((one) => typeof one === 'string')
}

/** The models of the practice server: which are known, and their list in the shapes of the APIs. */
function isModelKnown({ models: known }: Scenario, model: string): boolean {
  return known === undefined || known.includes(model)
}

/** The reply to a GET of the list or of one model; null: the path is another one. */
function modelsReply(scenario: Scenario, path: string): Reply | null {
  const found = /^\/(v1|v1beta)\/models(?:\/(.+))?$/.exec(path)
  if (found === null) return null
  const [, version, id] = found
  const describe = version === 'v1beta' ? describeGeminiModel : describeModel
  if (id !== undefined) {
    return isModelKnown(scenario, id) ? { kind: 'json', body: describe(id) } : refusalReply(404, `model: ${id}`)
  }
  const known = scenario.models ?? ['practice-1']
  const list = known.map(describe)
  if (version === 'v1beta') return { kind: 'json', body: { models: list } }
  const ends = { first_id: known[0] ?? null, last_id: known.at(-1) ?? null }
  return { kind: 'json', body: { object: 'list', data: list, has_more: false, ...ends } }
}

/** With the fields of Anthropic and OpenAI: clients ignore unknown ones. */
function describeModel(id: string): object {
  const created = '2026-01-01T00:00:00Z'
  const openai = { object: 'model', created: Date.parse(created) / 1000, owned_by: 'practice' }
  return { type: 'model', id, display_name: id, created_at: created, ...openai }
}

function describeGeminiModel(id: string): object {
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: '1',
    displayName: id,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }
}
