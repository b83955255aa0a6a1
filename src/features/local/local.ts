/** The engine `local`: a model server on this machine, found on the usual ports and asked as the engine `openai` asks, without a key. */
import * as z from 'zod'
import { startTimeLimit } from '../../base/time/time_limit.ts'
import { askServer, findModelIds, suggestModel } from '../../engines/answers/ask_server.ts'
import {
  type Engine,
  type EngineOutcome,
  type EngineReport,
  type EngineTask,
  emptyReport,
  type Probe,
  type ProbeRequest,
} from '../../engines/engine.ts'
import { openai } from '../../engines/openai/openai.ts'
import { formatCount, formatPlural } from '../../phases/4-report/text/format.ts'

const address = 'WHETSTONE_LOCAL_URL'

/** Where the servers listen unless their user chose another port. */
const usualServers = [
  { title: 'Ollama', port: 11434 },
  { title: 'LM Studio', port: 1234 },
  { title: 'llama.cpp', port: 8080 },
  { title: 'vLLM', port: 8000 },
]

/** A server on this machine answers at once, or it is not there. */
const answerMs = 1000

interface LocalServer {
  title: string
  /** Without /v1. */
  url: string
  models: readonly string[]
}

/** A model on its server; null: the server does not say. */
interface LocalModel {
  server: LocalServer
  model: string
  /** Tokens of one request and its answer. */
  context: number | null
  /** Requests at a time. */
  slots: number | null
  callsTools: boolean | null
  /** It is Ollama, which cuts a prompt at the context without a word. */
  cutsPrompts?: true
}

type Asked = Pick<EngineTask, 'model' | 'credentials'>

const { provider: _, ...sdkEngine } = openai

export const local: Engine = {
  ...sdkEngine,
  name: 'local',
  needsNoKey: true,
  credentials: [address],
  address,
  account: {
    slots: 'requests',
    of(credentials, model) {
      const { server, slots = null } = known.get(nameChoice({ credentials, model })) ?? {}
      return { provider: 'local', baseUrl: server?.url ?? '', secret: '', ...(slots !== null && { slots }) }
    },
  },
  reports: async () => ({ cost: false, tokens: true }),
  lacksTools: async (asked) => (await findModel(asked, new AbortController().signal))?.callsTools === false,
  probe,
  run,
}

async function probe({ model, credentials, signal }: ProbeRequest): Promise<Probe> {
  const found = await findModel({ model, credentials }, signal)
  const servers = await findServers(credentials, signal)
  if (servers.length === 0) {
    const places = usualServers.map(({ title, port }) => `${title} at ${port}`).join(', ')
    const where = credentials[address] ?? `the usual ports of 127.0.0.1 (${places})`
    const fix = 'start one, such as `ollama serve`, or name its address with WHETSTONE_LOCAL_URL'
    return { ok: false, kind: 'missing_binary', message: `no model server answers at ${where}`, fix }
  }
  if (found === null) {
    const message = model === null ? 'the model server has no model' : `no model server has the model "${model}"`
    return { ok: false, kind: 'bad_request', message, fix: suggestModel(model ?? '', listModels(servers)) }
  }
  const { context } = found
  return {
    ok: true,
    version: null,
    detail: `${describeModel(found)}${otherModels(servers, found)}`,
    identity: { served_model: found.model, served_context: String(context) },
    ...(context !== null && { context }),
  }
}

/** "smollm2 on llama.cpp at http://127.0.0.1:8080, 4 slots of 8,192 tokens". */
function describeModel({ server, model, context, slots, callsTools }: LocalModel): string {
  const size = context === null ? '' : `${formatCount(context)} tokens`
  const room = slots === null ? size : `${formatPlural(slots, 'slot')}${size && ` of ${size}`}`
  const parts = [room, callsTools === false ? 'no tool calls' : ''].filter(Boolean)
  return [`${model} on ${server.title} at ${server.url}`, ...parts].join(', ')
}

function otherModels(servers: readonly LocalServer[], { model }: LocalModel): string {
  const others = listModels(servers).filter((one) => one !== model)
  return others.length === 0 ? '' : `; also ${others.slice(0, 8).join(', ')}${others.length > 8 ? ', …' : ''}`
}

function listModels(servers: readonly LocalServer[]): string[] {
  return servers.flatMap(({ models }) => models)
}

async function run(task: EngineTask, context: Parameters<Engine['run']>[1]): Promise<EngineOutcome> {
  const found = await findModel(task, context.signal)
  if (found === null) {
    const message = `no model server answers with ${task.model ?? 'a model'}`
    const error = { kind: 'unreachable' as const, message, retryable: true, retryAfterMs: null }
    return { status: 'failed', error, report: emptyReport }
  }
  const { server, model } = found
  const credentials = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'local' }
  const outcome = await openai.run({ ...task, model, credentials }, context)
  return found.cutsPrompts && isCut(outcome.report, found.context) ? withCutPrompt(outcome) : outcome
}

/** The prompt fills the context exactly. Ollama sets a multiple of 1,024 unless the user chose a size. */
function isCut({ longestPrompt = 0 }: EngineReport, context: number | null): boolean {
  return context === null ? longestPrompt >= 2048 && longestPrompt % 1024 === 0 : longestPrompt === context
}

function withCutPrompt({ report }: EngineOutcome): EngineOutcome {
  const message = `Ollama cut the prompt at its context of ${formatCount(report.longestPrompt ?? 0)} tokens: start it with a larger OLLAMA_CONTEXT_LENGTH, or set num_ctx in the Modelfile`
  return { status: 'failed', error: { kind: 'bad_request', message, retryable: false, retryAfterMs: null }, report }
}

/** What this process has found, so that a busy server is not asked again. */
const known = new Map<string, LocalModel>()

function nameChoice({ credentials, model }: Asked): string {
  return `${credentials[address] ?? ''} ${model ?? ''}`
}

/** The model, or the first one of the first server; null: no server has it. */
async function findModel(asked: Asked, signal: AbortSignal): Promise<LocalModel | null> {
  const before = known.get(nameChoice(asked))
  if (before !== undefined) return before
  for (const server of await findServers(asked.credentials, signal)) {
    const [first] = server.models
    const model = asked.model === null ? first : server.models.find((one) => isNamed(one, asked.model ?? ''))
    if (model === undefined) continue
    const found = { server, model, ...(await askAboutModel(server, model, signal)) }
    known.set(nameChoice(asked), found)
    return found
  }
  return null
}

/** Ollama lists a model with its tag. */
function isNamed(listed: string, name: string): boolean {
  return listed === name || listed === `${name}:latest`
}

async function findServers({ [address]: given }: Asked['credentials'], signal: AbortSignal): Promise<LocalServer[]> {
  const places = usualServers.map(({ title, port }) => ({ title, url: `http://127.0.0.1:${port}` }))
  const own = given === undefined ? null : { title: 'the server', url: given.replace(/\/+(?:v1\/*)?$/, '') }
  const asked = (own === null ? places : [own]).map(async (place) => {
    const models = findModelIds(await ask(place.url, '/v1/models', signal))
    return models === null ? [] : [{ ...place, models }]
  })
  return (await Promise.all(asked)).flat()
}

/** undefined: no answer in time, or a refusal. Rejects only when aborted. */
async function ask(base: string, path: string, signal: AbortSignal, body?: unknown): Promise<unknown> {
  using limit = startTimeLimit(answerMs, [signal])
  const request = { base, path, headers: {}, signal: limit.signal, ...(body !== undefined && { body }) }
  const answer = await askServer(request).catch(() => signal.throwIfAborted())
  return answer?.as === 'answer' ? answer.body : undefined
}

const count = z.number().int().positive()

/** llama.cpp. */
const propsSchema = z.object({
  total_slots: count,
  default_generation_settings: z.object({ n_ctx: count }).optional(),
  chat_template: z.string().optional(),
  chat_template_caps: z.object({ supports_tools: z.boolean() }).optional(),
})

/** Ollama; `parameters`: lines such as "num_ctx 8192". */
const shownSchema = z.object({ capabilities: z.array(z.string()), parameters: z.string().optional() })

/** vLLM has `max_model_len`, LM Studio the others. */
const listedSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      max_model_len: count.optional(),
      loaded_context_length: count.optional(),
      capabilities: z.array(z.string()).optional(),
    }),
  ),
})

/** llama.cpp answers /api/show too, but without its tools. */
async function askAboutModel({ url }: LocalServer, model: string, signal: AbortSignal) {
  const [asProps, asShown, asListed, asPlain] = await Promise.all([
    ask(url, '/props', signal),
    ask(url, '/api/show', signal, { model }),
    ask(url, '/api/v0/models', signal),
    ask(url, '/v1/models', signal),
  ])
  const props = propsSchema.safeParse(asProps).data
  if (props !== undefined) {
    const { total_slots: slots, default_generation_settings: settings, chat_template: template } = props
    const callsTools = props.chat_template_caps?.supports_tools ?? (template ? /\btools\b/.test(template) : null)
    return { context: settings?.n_ctx ?? null, slots, callsTools }
  }
  const shown = shownSchema.safeParse(asShown).data
  if (shown !== undefined) {
    const [, context] = /^num_ctx\s+(\d+)/m.exec(shown.parameters ?? '') ?? []
    const callsTools = shown.capabilities.includes('tools')
    return { context: context ? Number(context) : null, slots: null, callsTools, cutsPrompts: true as const }
  }
  const [one] = [asListed, asPlain]
    .flatMap((body) => listedSchema.safeParse(body).data?.data ?? [])
    .filter(({ id }) => id === model)
  const context = one?.loaded_context_length ?? one?.max_model_len ?? null
  return { context, slots: null, callsTools: one?.capabilities?.includes('tool_use') ?? null }
}
