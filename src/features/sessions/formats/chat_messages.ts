/**
 * Conversations in the messages of chat APIs, as benchmarks write them: OpenAI's Chat Completions, Anthropic's blocks, tau-bench's `traj`,
 * SWE-agent's `history` (.traj), logs of Inspect, and plain lists of messages. A file may hold many.
 */
import * as z from 'zod'
import type { Usage } from '../../../../schemas/usage.ts'
import { tryParseJson } from '../../../base/json/json.ts'
import { contentText } from '../../../engines/cli/json_line.ts'
import { addUsage, knownUsage, noUsage } from '../../../engines/models/cost.ts'
import type { SessionFile, SessionOutcome } from '../session.ts'
import { recordMessages, type SessionMessage } from './messages.ts'

const text = z.string().nullish().catch(null)
const call = z.looseObject({
  id: text,
  type: text,
  function: z.union([z.string(), z.looseObject({ name: z.string(), arguments: z.unknown().optional() })]).optional(),
  name: text,
  arguments: z.unknown().optional(),
})
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.unknown().optional(),
  refusal: text,
  tool_calls: z.array(call).nullish(),
  function_call: call.nullish().catch(null),
  tool_call_id: text,
  tool_call_ids: z.array(z.string()).nullish().catch(null),
  name: text,
  model: text,
  timestamp: z.unknown().optional(),
  error: z.unknown().optional(),
  is_demo: z.unknown().optional(),
  /** SWE-agent's command in an answer without calls: the next message of the user is its output. */
  action: text,
})
type ChatMessage = z.infer<typeof message>

const list = z.array(message).refine((all) => all.some(({ role }) => role === 'assistant'))

const toolUse = z
  .looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown().optional() })
  .transform(({ id, name, input }) => ({ id, name, input }))
const toolResult = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.unknown().optional(),
})
const thought = z.looseObject({ type: z.enum(['thinking', 'reasoning']), thinking: text, reasoning: text })

/** The fields that hold a conversation, and those that hold several objects with one. */
const ownFields = ['messages', 'traj', 'history', 'trajectory', 'conversation']
const manyFields = ['simulations', 'samples', 'results']

interface Conversation {
  messages: ChatMessage[]
  /** The object that holds the list; empty: the list is the document. */
  holder: Record<string, unknown>
}

/** All conversations of a document. */
export function readChatSessions(document: unknown, file: SessionFile): SessionOutcome[] {
  const top = asObject(document)
  const entries = listEntries(document)
  const found = entries.flatMap((one) => findConversation(one) ?? [])
  const number = (index: number) => (found.length > 1 ? index + 1 : null)
  const read = found.map((one, index) => readConversation(one, { file, top, number: number(index) }))
  const others = entries.length - found.length
  const reason = `${others} of its ${entries.length} entries have no conversation that can be read`
  return found.length === 0 || others === 0 ? read : [...read, { refused: reason }]
}

/** The values that may each hold a conversation. */
function listEntries(document: unknown): unknown[] {
  if (findConversation(document) !== null) return [document]
  if (Array.isArray(document)) return document
  return manyFields.flatMap((name) => asObject(document)[name] ?? [])
}

function findConversation(value: unknown): Conversation | null {
  const whole = list.safeParse(value)
  if (whole.success) return { messages: whole.data, holder: {} }
  const holder = Array.isArray(value) ? {} : asObject(value)
  for (const name of ownFields) {
    const read = list.safeParse(holder[name])
    if (read.success) return { messages: read.data, holder }
  }
  return null
}

function readConversation(
  { messages, holder }: Conversation,
  { file, top, number }: { file: SessionFile; top: Record<string, unknown>; number: number | null },
): SessionOutcome {
  const ids = ['id', 'task_id', 'instance_id', 'epoch', 'trial'].flatMap((name) => {
    const value = holder[name]
    return typeof value === 'string' || typeof value === 'number' ? [`${name}=${value}`] : []
  })
  const own = ids.length > 0 ? ids.join(' ') : number === null ? null : `conversation ${number}`
  const model = asObject(top.eval).model ?? asObject(asObject(top.info).agent_info).llm
  return recordMessages(
    {
      agent: 'messages',
      id: own === null ? null : `${file.file} ${own}`,
      model: typeof model === 'string' ? model : null,
      messages: readMessages(messages.map((one) => withFields(one, holder))),
      usage: sumModelUsage(holder.model_usage) ?? readStats(holder.info).usage,
      costUsd: readStats(holder.info).costUsd ?? dollars.parse(holder.agent_cost),
    },
    file,
  )
}

function readMessages(messages: readonly ChatMessage[]): SessionMessage[] {
  let command: string | null = null
  return messages.map((one, index): SessionMessage => {
    const id = `action-${index}`
    const said = contentText(one.content ?? one.refusal ?? '')
    const shared = { text: said, time: one.timestamp, model: one.model ?? null }
    if (one.is_demo === true || one.role === 'system' || one.role === 'developer') return { ...shared, role: 'system' }
    if (one.role === 'tool' || one.role === 'function') return { role: 'tool', text: '', results: toResults(one, said) }
    const blocks: unknown[] = Array.isArray(one.content) ? one.content : []
    const results = blocks.flatMap((block) => {
      const { data } = toolResult.safeParse(block)
      return data ? [{ id: data.tool_use_id, output: contentText(data.content), isError: data.is_error === true }] : []
    })
    if (one.role === 'user') {
      const waits = command
      command = null
      if (waits !== null) return { role: 'tool', text: '', results: [{ id: waits, output: said, isError: false }] }
      return { ...shared, role: 'user', text: results.length > 0 ? joinTexts(blocks) : said, results }
    }
    const calls = [
      ...[...(one.tool_calls ?? []), ...(one.function_call ? [one.function_call] : [])].map(toCall),
      ...blocks.flatMap((block) => toolUse.safeParse(block).data ?? []),
    ]
    const isCommand = calls.length === 0 && typeof one.action === 'string' && one.action.trim() !== ''
    command = isCommand ? id : null
    return {
      ...shared,
      role: 'assistant',
      text: blocks.length > 0 ? joinTexts(blocks) : said,
      thinking: blocks.flatMap((block) => readThought(block) ?? []).join('\n'),
      calls: isCommand ? [{ id, name: 'shell', input: { command: one.action } }] : calls,
    }
  })
}

function toCall({ id, function: named, name, arguments: given, type }: z.infer<typeof call>) {
  const [tool, value] = typeof named === 'object' ? [named.name, named.arguments] : [named ?? name ?? type ?? '', given]
  const input = typeof value === 'string' ? (tryParseJson(value) ?? value) : (value ?? {})
  return { id: id ?? tool, name: tool, input }
}

function toResults({ tool_call_id, tool_call_ids, name, error, id }: ChatMessage, output: string) {
  const isError = error === true || (typeof error === 'object' && error !== null)
  const calls: unknown[] = tool_call_id ? [tool_call_id] : (tool_call_ids ?? [name ?? id])
  return calls.map((call) => ({ id: typeof call === 'string' ? call : '', output, isError }))
}

function readThought(block: unknown): string | null {
  const { data } = thought.safeParse(block)
  return data?.thinking ?? data?.reasoning ?? null
}

function joinTexts(blocks: readonly unknown[]): string {
  return blocks
    .flatMap(
      (block) =>
        z.looseObject({ type: z.enum(['text', 'output_text']), text: z.string() }).safeParse(block).data?.text ?? [],
    )
    .join('\n')
}

/** Inspect keeps long texts apart, and mini-swe-agent has its command in a block of the answer. */
function withFields(
  one: ChatMessage,
  { attachments, trajectory_format: format }: Record<string, unknown>,
): ChatMessage {
  const { content, role } = one
  if (typeof content !== 'string') return one
  const texts = asObject(attachments)
  const found = (whole: string, hash: string) => (typeof texts[hash] === 'string' ? texts[hash] : whole)
  const isMini = role === 'assistant' && typeof format === 'string' && format.startsWith('mini-swe-agent')
  const action = isMini ? /```\w*\n([\s\S]*?)```/.exec(content)?.[1] : one.action
  return { ...one, action: action ?? null, content: content.replaceAll(/attachment:\/\/(\w+)/g, found) }
}

const count = z.number().int().nonnegative().catch(0).default(0)
const modelUsage = z.record(
  z.string(),
  z.looseObject({
    ...{ input_tokens: count, output_tokens: count, total_tokens: count },
    ...{ input_tokens_cache_read: count, input_tokens_cache_write: count },
  }),
)

/** Inspect's counts by model. With some providers the cached tokens are part of the input: then input and output make the total. */
function sumModelUsage(value: unknown): Usage | null {
  const { data = {} } = modelUsage.safeParse(value)
  const all = Object.values(data).map((one) => {
    const cached = one.input_tokens_cache_read + one.input_tokens_cache_write
    const isInside = one.input_tokens + one.output_tokens === one.total_tokens
    return {
      input_tokens: Math.max(0, one.input_tokens - (isInside ? cached : 0)),
      output_tokens: one.output_tokens,
      cache_read_tokens: one.input_tokens_cache_read,
      cache_write_tokens: one.input_tokens_cache_write,
    }
  })
  return knownUsage(all.reduce(addUsage, noUsage))
}

const stats = z.looseObject({
  model_stats: z.looseObject({
    tokens_sent: count,
    tokens_received: count,
    instance_cost: z.number().catch(0).default(0),
  }),
})

const dollars = z.number().positive().nullish().catch(null).default(null)

/** SWE-agent's. */
function readStats(info: unknown): { usage: Usage | null; costUsd: number | null } {
  const { data } = stats.safeParse(info)
  const { tokens_sent = 0, tokens_received = 0, instance_cost = 0 } = data?.model_stats ?? {}
  const usage = knownUsage({ ...noUsage, input_tokens: tokens_sent, output_tokens: tokens_received })
  return { usage, costUsd: instance_cost || null }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
