/** The Gemini API of Google: its answers and its stream. */
import type { OfferedTool, PracticeMessage, StopReason } from '../../dialogue.ts'
import { callId } from '../openai_items.ts'
import type { RefusedRequest, WireRefusal } from '../wire.ts'
import { splitPieces, type Wire } from '../wire.ts'
import { readGemini } from './gemini_request.ts'

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
