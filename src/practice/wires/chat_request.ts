/** Reads requests of the Chat Completions API and translates their messages. */
import * as z from 'zod'
import { formatJsonPath } from '../../base/json/json.ts'
import type { Block, Message, OfferedTool, ReadDialogue } from '../dialogue.ts'
import {
  contentSchema,
  formatSchema,
  joinMessages,
  parseCallArguments,
  resultBlock,
  structuredTools,
  textOfContent,
} from './openai_items.ts'

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
export function readChat(body: unknown): ReadDialogue {
  const result = request.safeParse(body)
  if (!result.success) {
    const [issue] = result.error.issues
    return {
      ok: false,
      why: `${formatJsonPath(issue?.path ?? []).slice(2) || 'body'}: ${issue?.message ?? 'not a request'}`,
    }
  }
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
