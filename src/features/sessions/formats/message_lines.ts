/** Reads session files of pi, Gemini CLI and Copilot CLI: one record a line, and some records are messages. */
import * as z from 'zod'
import type { Usage } from '../../../../schemas/usage.ts'
import { contentText, parseJsonLine } from '../../../engines/cli/json_line.ts'
import { knownUsage } from '../../../engines/models/cost.ts'
import type { LineReader, SessionDocumentFormat, SessionFile, SessionLineFormat, SessionOutcome } from '../session.ts'
import { type MessageSession, recordMessages, type SessionMessage } from './messages.ts'

const text = z.string().nullish().catch(null)
const count = z.number().int().nonnegative().catch(0).default(0)
const listOf = <T extends z.ZodType>(one: T) => z.array(one).nullish().catch(null)

type Line = Record<string, unknown>

/** Collects a file's records, and reads them once all are there: a later record can replace an earlier one. */
export function collectLines(
  recognizes: SessionLineFormat['recognizes'],
  read: (records: readonly (Line | { unread: string })[]) => MessageSession,
): SessionLineFormat {
  return {
    recognizes,
    open(file: SessionFile): LineReader {
      const records: (Line | { unread: string })[] = []
      return {
        take(line) {
          const parsed = parseJsonLine(line)
          records.push(parsed.kind === 'object' ? parsed.value : { unread: line })
        },
        end: (): SessionOutcome => recordMessages(read(records), file),
      }
    },
  }
}

const block = z.looseObject({
  type: z.string(),
  text,
  thinking: text,
  id: text,
  name: text,
  arguments: z.unknown().optional(),
})
const piRecord = z.looseObject({
  timestamp: z.unknown().optional(),
  message: z.looseObject({
    role: z.string(),
    content: z.union([z.string(), z.array(block)]).catch(''),
    model: text,
    stopReason: text,
    errorMessage: text,
    toolCallId: text,
    isError: z.boolean().catch(false).default(false),
    usage: z
      .looseObject({
        ...{ input: count, output: count, cacheRead: count, cacheWrite: count },
        cost: z.looseObject({ total: z.number().catch(0).default(0) }).optional(),
      })
      .optional()
      .catch(undefined),
  }),
})

/** `~/.pi/agent/sessions/<folder>/*.jsonl`: a header, and a tree of entries in the order in which they were written. */
export const piSessions = collectLines(
  ({ type, id, cwd }) => type === 'session' && typeof id === 'string' && typeof cwd === 'string',
  (records) => {
    const [header] = records
    return {
      agent: 'pi',
      ...{ id: readText(header, 'id'), cwd: readText(header, 'cwd') },
      messages: records.map((one) => {
        if ('unread' in one || one.type !== 'message') return 'unread' in one ? { unread: one.unread } : null
        const { data } = piRecord.safeParse(one)
        return data === undefined ? { unread: one } : toPiMessage(data)
      }),
    }
  },
)

function toPiMessage({ timestamp, message }: z.infer<typeof piRecord>): SessionMessage {
  const { role, content, usage, model, stopReason } = message
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const said = parts.flatMap((one) => (one.type === 'text' && one.text ? [one.text] : [])).join('\n')
  if (role === 'toolResult') {
    const results = [{ id: message.toolCallId ?? '', output: said, isError: message.isError }]
    return { role: 'tool', text: '', time: timestamp, results }
  }
  if (role !== 'assistant') return { role: role === 'user' ? 'user' : 'system', text: said, time: timestamp }
  const calls = z.array(block).parse(parts.filter(({ type }) => type === 'toolCall'))
  return {
    ...{ role: 'assistant', text: said, time: timestamp, model: model ?? null, stopReason: stopReason ?? null },
    thinking: z
      .array(block)
      .parse(parts)
      .flatMap(({ thinking }) => thinking ?? [])
      .join('\n'),
    calls: calls.map(({ id, name, arguments: input }) => ({ id: id ?? '', name: name ?? '', input })),
    usage: usage === undefined ? null : toUsage(usage),
    costUsd: usage?.cost?.total ?? null,
    ...(stopReason === 'error' && { failure: { kind: 'error', message: message.errorMessage ?? 'error' } }),
  }
}

function toUsage({
  input,
  output,
  cacheRead,
  cacheWrite,
}: Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>): Usage | null {
  return knownUsage({
    ...{ input_tokens: input, output_tokens: output },
    ...{ cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite },
  })
}

const response = z.looseObject({ output: z.unknown().optional(), error: z.unknown().optional() })
const geminiPart = z.looseObject({ text, functionResponse: z.looseObject({ id: z.string(), response }).optional() })
type GeminiPart = z.infer<typeof geminiPart>

const geminiMessage = z.looseObject({
  ...{ id: z.string(), type: z.string(), timestamp: z.unknown().optional(), model: text },
  content: z.union([z.string(), z.array(geminiPart)]).catch(''),
  thoughts: listOf(z.looseObject({ subject: text, description: text })),
  tokens: z.looseObject({ input: count, output: count, cached: count, thoughts: count }).nullish().catch(null),
  toolCalls: listOf(
    z.looseObject({ id: z.string(), name: z.string(), args: z.unknown().optional(), result: listOf(geminiPart) }),
  ),
})

/** `~/.gemini/tmp/<project>/chats/session-*.jsonl`. A message is written again once its tools have ended, and all of them when they change. */
export const geminiSessions = collectLines(
  ({ projectHash, messages }) => typeof projectHash === 'string' && messages === undefined,
  readGeminiRecords,
)

/** The same messages in one document, as earlier versions write them. */
export const geminiDocument: SessionDocumentFormat = {
  recognizes: ({ projectHash, messages }) => typeof projectHash === 'string' && Array.isArray(messages),
  read: ({ sessionId, messages }, file) =>
    recordMessages(readGeminiRecords([{ sessionId }, { $set: { messages } }]), file),
}

function readGeminiRecords(records: readonly (Line | { unread: string })[]): MessageSession {
  const messages = new Map<string, SessionMessage | { unread: unknown }>()
  const set = (one: unknown) => {
    const { data } = geminiMessage.safeParse(one)
    messages.set(data?.id ?? JSON.stringify(one), data === undefined ? { unread: one } : toGeminiMessage(data))
  }
  const changes = z.looseObject({ $set: z.looseObject({ messages: z.array(z.unknown()).optional() }) })
  for (const one of records.slice(1)) {
    const changed = changes.safeParse(one)
    if (!changed.success) set('unread' in one ? one.unread : one)
    else if (changed.data.$set.messages !== undefined) {
      messages.clear()
      changed.data.$set.messages.forEach(set)
    }
  }
  const all = [...messages.values()]
  const ofCalls = all.flatMap((one) => ('calls' in one ? (one.results ?? []) : []))
  const isRepeated = ({ id }: { id: string }) => ofCalls.some((one) => one.id === id)
  const once = all.map((one) =>
    'role' in one && one.role === 'tool'
      ? { ...one, results: one.results?.filter((found) => !isRepeated(found)) ?? [] }
      : one,
  )
  return { agent: 'gemini', id: readText(records[0], 'sessionId'), messages: once }
}

/** The first message of the user describes the folder; later ones may be results, which mostly repeat those of their call. */
function toGeminiMessage({ type, content, timestamp: time, ...more }: z.infer<typeof geminiMessage>): SessionMessage {
  const parts = typeof content === 'string' ? [{ text: content }] : content
  const said = parts.flatMap((part) => part.text ?? []).join('\n')
  const results = listResults(parts)
  if (results.length > 0) return { role: 'tool', text: '', time, results }
  if (type === 'user') return { role: said.startsWith('<session_context>') ? 'system' : 'user', text: said, time }
  if (type !== 'gemini') return { role: 'system', text: said, time }
  const { tokens, toolCalls: calls } = more
  return {
    ...{ role: 'assistant', text: said, time, model: more.model ?? null },
    thinking: (more.thoughts ?? []).map(({ subject, description }) => `${subject}: ${description}`).join('\n'),
    calls: (calls ?? []).map(({ id, name, args }) => ({ id, name, input: args })),
    results: (calls ?? []).flatMap(({ result }) => listResults(result ?? [])),
    usage: tokens
      ? toUsage({
          ...{ input: Math.max(0, tokens.input - tokens.cached), output: tokens.output + tokens.thoughts },
          ...{ cacheRead: tokens.cached, cacheWrite: 0 },
        })
      : null,
  }
}

function listResults(parts: readonly GeminiPart[]) {
  return parts.flatMap(({ functionResponse: one }) => {
    if (one === undefined) return []
    const { output, error } = one.response
    const shown = output ?? error ?? one.response
    const text = typeof shown === 'string' ? shown : JSON.stringify(shown)
    return [{ id: one.id, output: text, isError: output === undefined || /^Exit Code: [1-9]/m.test(text) }]
  })
}

const copilotRecord = z.looseObject({
  type: z.string(),
  timestamp: z.unknown().optional(),
  agentId: text,
  data: z.looseObject({
    ...{ content: z.unknown().optional(), model: text, reasoningText: text, sessionId: text, selectedModel: text },
    ...{
      toolCallId: text,
      toolName: text,
      arguments: z.unknown().optional(),
      success: z.boolean().optional().catch(undefined),
    },
    context: z.looseObject({ cwd: text }).optional().catch(undefined),
    result: z.looseObject({ content: z.unknown().optional() }).optional().catch(undefined),
    error: z.looseObject({ message: text }).nullish().catch(null),
    shellExecution: z.looseObject({ exitCode: z.number().nullish() }).nullish().catch(null),
    usage: z
      .looseObject({ inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count })
      .optional()
      .catch(undefined),
  }),
})
type CopilotRecord = z.infer<typeof copilotRecord>

/** `~/.copilot/session-state/<id>/events.jsonl`. */
export const copilotSessions = collectLines(
  ({ type, data }) => type === 'session.start' && z.looseObject({ sessionId: z.string() }).safeParse(data).success,
  (records) => {
    const read = records.map((one) => copilotRecord.safeParse(one).data ?? null)
    const start = read[0]?.data
    const offered = read.flatMap((one) => (one?.type === 'system.message' ? listCopilotSkills(one.data.content) : []))
    return {
      agent: 'copilot',
      ...{ id: start?.sessionId ?? null, cwd: start?.context?.cwd ?? null, model: start?.selectedModel ?? null },
      messages: read.map((one, index) => (one === null ? { unread: records[index] } : toCopilotMessage(one))),
      ...(offered.length > 0 && { offered }),
    }
  },
)

/** null: it is no part of the conversation, or the work of a sub-agent. Its answers come after the record of their tokens. */
function toCopilotMessage({ type, data, timestamp: time, agentId }: CopilotRecord): SessionMessage | null {
  if (agentId) return null
  const said = contentText(data.content)
  const id = data.toolCallId ?? ''
  switch (type) {
    case 'user.message':
      return { role: 'user', text: said, time }
    case 'system.message':
      return { role: 'system', text: said, time }
    case 'assistant.message':
      return { role: 'assistant', text: said, time, thinking: data.reasoningText ?? '', model: data.model ?? null }
    case 'tool.execution_start':
      return { role: 'tool', text: '', time, calls: [{ id, name: data.toolName ?? '', input: data.arguments }] }
    case 'tool.execution_complete': {
      const output = data.result === undefined ? (data.error?.message ?? '') : contentText(data.result.content)
      const isError = data.success === false || (data.shellExecution?.exitCode ?? 0) !== 0
      return { role: 'tool', text: '', time, results: [{ id, output, isError }] }
    }
    case 'session.usage_record': {
      const { inputTokens = 0, outputTokens: output = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = data.usage ?? {}
      const input = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens)
      return {
        role: 'tool',
        text: '',
        usage: toUsage({ input, output, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens }),
      }
    }
    default:
      return null
  }
}

function listCopilotSkills(content: unknown): string[] {
  const [, list = ''] = /<available_skills>([\s\S]*?)<\/available_skills>/.exec(contentText(content)) ?? []
  return [...list.matchAll(/<name>\s*(\S+)\s*<\/name>/g)].map(([, name = '']) => name)
}

function readText(record: Line | { unread: string } | undefined, name: string): string | null {
  const value = record === undefined ? undefined : Object.entries(record).find(([key]) => key === name)?.[1]
  return typeof value === 'string' ? value : null
}
