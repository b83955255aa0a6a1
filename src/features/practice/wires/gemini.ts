/** The Gemini API of Google: its answers and its stream. */
import * as z from 'zod'
import type { Block, Message, OfferedTool, PracticeMessage, ReadDialogue, StopReason } from '../dialogue.ts'
import { findBodyMistake } from '../dialogue.ts'
import { callId, joinMessages, resultBlock, structuredTools } from './openai_items.ts'
import { type RefusedRequest, splitPieces, type Wire, type WireRefusal, type WireRoute } from './wire.ts'

const statuses: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

const rpcType = (name: string) => `type.googleapis.com/google.rpc.${name}`

const badKey = {
  '@type': rpcType('ErrorInfo'),
  reason: 'API_KEY_INVALID',
  domain: 'googleapis.com',
  metadata: { service: 'generativelanguage.googleapis.com' },
}

/** Status and body. The API has no 529: an overload becomes 503. It refuses a bad key with 400. */
function refuseGemini({ status: asked, message: said, retryAfter }: RefusedRequest): WireRefusal {
  if (asked === 401) return toRefusal(400, 'API key not valid. Please pass a valid API key.', [badKey])
  const status = asked === 529 ? 503 : asked
  const model = status === 404 ? /^model: (.+)$/.exec(said)?.[1] : undefined
  const message = model === undefined ? said : `models/${model} is not found for API version v1beta.`
  if (status !== 429 || typeof retryAfter !== 'number') return toRefusal(status, message, [])
  return toRefusal(status, message, [{ '@type': rpcType('RetryInfo'), retryDelay: `${retryAfter}s` }])
}

function toRefusal(code: number, message: string, details: readonly object[]): WireRefusal {
  const status = statuses[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')
  return { status: code, body: { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } } }
}

const finishReasons = {
  end_turn: 'STOP',
  stop_sequence: 'STOP',
  pause_turn: 'STOP',
  tool_use: 'STOP',
  max_tokens: 'MAX_TOKENS',
  refusal: 'SAFETY',
} satisfies Record<StopReason, string>

type Part =
  | { text: string; thought?: true }
  | { functionCall: { id: string; name: string; args: object }; thoughtSignature: string }

/** The parts of the answer. A call's signature must come back with it, as the real API demands. */
function toParts({ content }: PracticeMessage, tools: readonly OfferedTool[]): Part[] {
  return content.map((block): Part => {
    if (block.type !== 'tool_use') return { text: block.text, ...(block.type === 'thinking' ? { thought: true } : {}) }
    const { name, input } = block
    if (tools.some((tool) => tool.name === name && tool.kind === 'structured')) return { text: JSON.stringify(input) }
    const id = callId(block.id)
    return { functionCall: { id, name, args: input }, thoughtSignature: Buffer.from(id).toString('base64') }
  })
}

/** The API has no counts of tokens that it wrote to a cache. */
function toCounts({ usage }: PracticeMessage) {
  const prompt = usage.input + usage.cacheRead
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output - usage.reasoning,
    totalTokenCount: prompt + usage.output,
    ...(usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {}),
    ...(usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
  }
}

const head = ({ id, model }: PracticeMessage) => ({ modelVersion: model, responseId: id })

const candidate = (parts: readonly Part[], more: object) => {
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...more }] }
}

function toGenerated(message: PracticeMessage, tools: readonly OfferedTool[]) {
  const finishReason = finishReasons[message.stopReason]
  return {
    ...candidate(toParts(message, tools), { finishReason }),
    usageMetadata: toCounts(message),
    ...head(message),
  }
}

/** Chunks: pieces of each text, each call whole, at last the finish reason and all counts. */
function geminiFrames(message: PracticeMessage, tools: readonly OfferedTool[]): string[] {
  const { promptTokenCount } = toCounts(message)
  const pieces = toParts(message, tools).flatMap((part): Part[] => {
    return 'text' in part ? splitPieces(part.text).map((text) => ({ ...part, text })) : [part]
  })
  const soFar = { usageMetadata: { promptTokenCount, totalTokenCount: promptTokenCount }, ...head(message) }
  const chunks = [
    ...pieces.map((part) => ({ ...candidate([part], {}), ...soFar })),
    {
      ...candidate([{ text: '' }], { finishReason: finishReasons[message.stopReason] }),
      usageMetadata: toCounts(message),
      ...head(message),
    },
  ]
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`)
}

export const geminiWire: Wire = {
  root: '/v1beta/models',
  route(path) {
    const [, model, method] = /^\/v1beta\/models\/([^/:]+):(\w+)$/.exec(path) ?? []
    if (model === undefined) return null
    switch (method) {
      case 'generateContent':
        return { counting: false, model, stream: false }
      case 'streamGenerateContent':
        return { counting: false, model, stream: true }
      case 'countTokens':
        return { counting: true, model }
      default:
        return null
    }
  },
  requestIdHeader: 'x-request-id',
  read: readGemini,
  whole: toGenerated,
  frames: geminiFrames,
  count: (totalTokens) => ({ totalTokens }),
  refuse: refuseGemini,
  refuseFull: ({ requestId }) => {
    const message = 'The input token count (1250000) exceeds the maximum number of tokens allowed (1048576).'
    return refuseGemini({ status: 400, message, requestId })
  },
}

/** Only fields in use are typed; unknown parts and fields pass. */
const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z.looseObject({ id: z.string().optional(), name: z.string(), args: z.unknown() }).optional(),
  functionResponse: z
    .looseObject({ id: z.string().optional(), name: z.string(), response: z.record(z.string(), z.unknown()) })
    .optional(),
  thoughtSignature: z.string().optional(),
})

type RequestPart = z.infer<typeof part>

const content = z.looseObject({ role: z.enum(['user', 'model']).optional(), parts: z.array(part).default([]) })

type Content = z.infer<typeof content>

const declaration = z.looseObject({ name: z.string() })

const request = z.looseObject({
  systemInstruction: z.looseObject({ parts: z.array(part).default([]) }).optional(),
  contents: z.array(content, { error: 'contents is not specified' }).min(1, 'contents is not specified'),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(declaration).optional() })).optional(),
  generationConfig: z
    .looseObject({ responseSchema: z.unknown().optional(), responseJsonSchema: z.unknown().optional() })
    .optional(),
})

/** A count may wrap the request that it is for. */
const wrapped = z.looseObject({ generateContentRequest: z.unknown() })

/** The request, or why the API would refuse it. */
function readGemini(body: unknown, { model, stream = false }: WireRoute): ReadDialogue {
  if (model === undefined) return { ok: false, why: 'no model in the path' }
  const inner = wrapped.safeParse(body)
  const result = request.safeParse(
    inner.success && inner.data.generateContentRequest ? inner.data.generateContentRequest : body,
  )
  if (!result.success) return { ok: false, why: `* GenerateContentRequest.${findBodyMistake(result.error)}` }
  const { systemInstruction, contents, tools = [], generationConfig: config = {} } = result.data
  const why = findUnansweredCall(contents)
  if (why !== null) return { ok: false, why }
  const isStructured = Boolean(config.responseSchema ?? config.responseJsonSchema)
  const offered = [
    ...tools.flatMap(toOfferedTools),
    ...structuredTools(isStructured ? { type: 'json_schema' } : undefined),
  ]
  const system = (systemInstruction?.parts ?? []).flatMap(({ text = '' }) => (text === '' ? [] : [text])).join('\n')
  return { ok: true, request: { model, system, messages: readContents(contents), tools: offered, stream } }
}

/** The declared functions; a built-in tool is named by its field (`googleSearch`). */
function toOfferedTools({ functionDeclarations, ...builtIn }: Record<string, unknown>): OfferedTool[] {
  const declared = z.array(declaration).safeParse(functionDeclarations)
  const names = [...(declared.success ? declared.data.map(({ name }) => name) : []), ...Object.keys(builtIn)]
  return names.map((name) => ({ name }))
}

/** Every call must be answered in the next content, and nothing else may be answered there. */
function findUnansweredCall(contents: readonly Content[]): string | null {
  const counts = (one: Content | undefined, field: 'functionCall' | 'functionResponse') =>
    (one?.parts ?? []).filter((each) => each[field] !== undefined).length
  const bad = contents.some((one, at) => counts(one, 'functionResponse') !== counts(contents[at - 1], 'functionCall'))
  if (!bad && counts(contents.at(-1), 'functionCall') === 0) return null
  return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
}

/** Messages with paired ids: a response without an id answers the call at its place. */
function readContents(contents: readonly Content[]): Message[] {
  let asked: string[] = []
  const items: { role: Message['role']; blocks: Block[] }[] = []
  for (const [at, { role = 'user', parts }] of contents.entries()) {
    const answers = [...asked]
    const blocks = parts.flatMap((one, index) => toBlocks(one, `${at}_${index}`, answers))
    asked = blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [id ?? ''] : []))
    items.push({ role: role === 'model' ? 'assistant' : 'user', blocks })
  }
  return joinMessages(items)
}

function toBlocks(given: RequestPart, place: string, answers: string[]): Block[] {
  const { text = '', thought, functionCall: call, functionResponse: answered, thoughtSignature: signature } = given
  if (call !== undefined) {
    // the signature carries the id that the server gave: clients need not return ids
    const id = call.id ?? (signature === undefined ? place : Buffer.from(signature, 'base64').toString())
    return [{ type: 'tool_use', id, name: call.name, input: call.args ?? {} }]
  }
  if (answered !== undefined) {
    const next = answers.shift() ?? ''
    const { output, error } = answered.response
    const block = resultBlock(answered.id ?? next, responseText(error ?? output ?? answered.response))
    return [error === undefined ? block : { ...block, is_error: true }]
  }
  return text === '' || thought === true ? [] : [{ type: 'text', text }]
}

const responseText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
