/** The Chat Completions API of OpenAI and compatible servers: its answers and its stream. */
import * as z from 'zod'
import {
  type Block,
  findBodyMistake,
  type Message,
  type OfferedTool,
  type PracticeMessage,
  type ReadDialogue,
  type StopReason,
  type ToolUseBlock,
} from '../dialogue.ts'
import {
  callId,
  contentSchema,
  contextRefusal,
  formatSchema,
  joinMessages,
  parseCallArguments,
  refuseOpenai,
  resultBlock,
  structuredTools,
  textOfContent,
} from './openai_items.ts'
import { messageRoute, splitPieces, type Wire } from './wire.ts'

const call = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
  custom: z.looseObject({ name: z.string(), input: z.string() }).optional(),
})

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: contentSchema.nullish(),
  tool_calls: z.array(call).nullish(),
  tool_call_id: z.string().nullish(),
})

type ChatMessage = z.infer<typeof message>

const namedSchema = z.looseObject({ name: z.string() }).optional()
const tool = z.looseObject({ type: z.string(), function: namedSchema, custom: namedSchema })

const request = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  tools: z.array(tool).nullish(),
  response_format: formatSchema.nullish(),
  stream: z.boolean().nullish(),
})

/** The request, or why the API would refuse it. */
function readChat(body: unknown): ReadDialogue {
  const result = request.safeParse(body)
  if (!result.success) return { ok: false, why: findBodyMistake(result.error) }
  const { model, messages, tools, response_format, stream } = result.data
  const why = findUnpairedCall(messages)
  if (why !== null) return { ok: false, why }
  // the first system messages are the system prompt; later ones stay in place
  const begin = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const system = messages
    .slice(0, Math.max(begin, 0))
    .map((one) => textOfContent(one.content))
    .join('\n\n')
  const offered = [...(tools ?? []).map(toOfferedTool), ...structuredTools(response_format ?? undefined)]
  const talk = joinMessages(messages.slice(Math.max(begin, 0)).map(readChatMessage))
  return { ok: true, request: { model, system, messages: talk, tools: offered, stream: stream === true } }
}

function toOfferedTool(given: z.infer<typeof tool>): OfferedTool {
  const kind = given.type === 'custom' ? 'custom' : 'function'
  return { name: given.function?.name ?? given.custom?.name ?? given.type, kind }
}

/** The next tool messages must answer all calls, and each must answer a call. */
function findUnpairedCall(messages: readonly ChatMessage[]): string | null {
  let open: string[] = []
  for (const [index, { role, tool_calls, tool_call_id: id }] of messages.entries()) {
    if (role === 'tool' && !open.includes(id ?? '')) {
      return `messages.[${index}].role: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.`
    }
    if (role !== 'tool' && open.length > 0) break
    open = role === 'tool' ? open.filter((one) => one !== id) : (tool_calls ?? []).map((one) => one.id)
  }
  if (open.length === 0) return null
  return (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${open.join(', ')}`
  )
}

function readChatMessage(given: ChatMessage): { role: Message['role']; blocks: Block[] } {
  const text = textOfContent(given.content)
  if (given.role === 'tool') return { role: 'user', blocks: [resultBlock(given.tool_call_id ?? '', text)] }
  const role = given.role === 'assistant' || given.role === 'user' ? given.role : 'system'
  const said: Block[] = text === '' ? [] : [{ type: 'text', text }]
  return { role, blocks: [...said, ...(given.tool_calls ?? []).map(callBlock)] }
}

function callBlock({ id, function: called, custom }: z.infer<typeof call>): Block {
  const input = called === undefined ? { input: custom?.input ?? '' } : parseCallArguments(called.arguments)
  return { type: 'tool_use', id, name: called?.name ?? custom?.name ?? '', input }
}

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
