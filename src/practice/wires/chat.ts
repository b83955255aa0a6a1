/** The Chat Completions API of OpenAI and compatible servers: its answers and its stream. */
import type { OfferedTool, PracticeMessage, StopReason, ToolUseBlock } from '../dialogue.ts'
import { readChat } from './chat_request.ts'
import { contextRefusal, refuseOpenai } from './openai_error.ts'
import { callId } from './openai_items.ts'
import { messageRoute, splitPieces, type Wire } from './wire.ts'

const finishReasons = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
} satisfies Record<StopReason, string>

interface ChatParts {
  text: string
  calls: readonly ToolUseBlock[]
}

/** Separates texts and calls; a structured answer is a text. */
function splitContent({ content }: PracticeMessage, tools: readonly OfferedTool[]): ChatParts {
  const isAnswer = (name: string) => tools.some((tool) => tool.name === name && tool.kind === 'structured')
  const uses = content.filter((block) => block.type === 'tool_use')
  const answers = uses.filter(({ name }) => isAnswer(name)).map(({ input }) => JSON.stringify(input))
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return { text: (answers.length > 0 ? answers : texts).join('\n'), calls: uses.filter(({ name }) => !isAnswer(name)) }
}

function toChatCall({ id, name, input }: ToolUseBlock, tools: readonly OfferedTool[]) {
  const isCustom = tools.some((tool) => tool.name === name && tool.kind === 'custom')
  return isCustom
    ? { id: callId(id), type: 'custom', custom: { name, input: String(input.input ?? '') } }
    : { id: callId(id), type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function toChatCounts({ usage }: PracticeMessage) {
  const input = usage.input + usage.cacheRead + usage.cacheWrite
  return {
    prompt_tokens: input,
    completion_tokens: usage.output,
    total_tokens: input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: 0 },
  }
}

const head = ({ id, model }: PracticeMessage) => {
  return { id: `chatcmpl-${id}`, created: Math.floor(Date.now() / 1000), model, service_tier: 'default' }
}

/** The finish reason: a structured answer is not a call. */
function finish({ stopReason }: PracticeMessage, { calls }: ChatParts): string {
  return stopReason === 'tool_use' && calls.length === 0 ? 'stop' : finishReasons[stopReason]
}

function toCompletion(message: PracticeMessage, tools: readonly OfferedTool[]) {
  const answer = splitContent(message, tools)
  const { text, calls } = answer
  const isRefusal = message.stopReason === 'refusal'
  const reply = {
    role: 'assistant',
    content: isRefusal || text === '' ? null : text,
    refusal: isRefusal ? text : null,
    annotations: [],
    ...(calls.length > 0 ? { tool_calls: calls.map((call) => toChatCall(call, tools)) } : {}),
  }
  const choice = { index: 0, message: reply, logprobs: null, finish_reason: finish(message, answer) }
  return { ...head(message), object: 'chat.completion', choices: [choice], usage: toChatCounts(message) }
}

/** Chunks: the role, pieces of the text, each call from its name to its last argument, the finish reason, the counts. */
function chatFrames(message: PracticeMessage, tools: readonly OfferedTool[]): string[] {
  const answer = splitContent(message, tools)
  const key = message.stopReason === 'refusal' ? 'refusal' : 'content'
  const deltas = [
    { role: 'assistant', content: '', refusal: null },
    ...splitPieces(answer.text).map((text) => ({ [key]: text })),
    ...answer.calls.flatMap((call, index) => callDeltas(call, index)),
  ]
  const chunk = (fields: object) => ({ ...head(message), object: 'chat.completion.chunk', ...fields })
  const choice = (delta: object, finish_reason: string | null) => {
    return chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason }] })
  }
  const chunks = [
    ...deltas.map((delta) => choice(delta, null)),
    choice({}, finish(message, answer)),
    chunk({ choices: [], usage: toChatCounts(message) }),
  ]
  return [...chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`), 'data: [DONE]\n\n']
}

function callDeltas({ id, name, input }: ToolUseBlock, index: number) {
  const begin = { index, id: callId(id), type: 'function', function: { name, arguments: '' } }
  const rest = splitPieces(JSON.stringify(input)).map((text) => ({ index, function: { arguments: text } }))
  return [begin, ...rest].map((one) => ({ tool_calls: [one] }))
}

export const chatWire: Wire = {
  root: '/v1/chat/completions',
  route: (path) => (path === '/v1/chat/completions' ? messageRoute : null),
  requestIdHeader: 'x-request-id',
  read: readChat,
  whole: toCompletion,
  frames: chatFrames,
  refuse: refuseOpenai,
  refuseFull: () => {
    const message =
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 250000 tokens. Please reduce the length of the messages."
    return contextRefusal(message, 'messages')
  },
}
