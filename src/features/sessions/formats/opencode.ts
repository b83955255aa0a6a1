/** opencode's sessions: what `opencode export` prints, the output of `opencode run --format json`, and the JSON storage of older versions. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import type { Usage } from '../../../../schemas/usage.ts'
import { tryParseJson } from '../../../base/json/json.ts'
import { toJsonValue } from '../../../engines/cli/json_line.ts'
import { knownUsage } from '../../../engines/models/cost.ts'
import type { SessionDocumentFormat, SessionFile, SessionFormats, SessionOutcome } from '../session.ts'
import { collectLines } from './message_lines.ts'
import { type MessageSession, recordMessages, type SessionMessage } from './messages.ts'

type Entry = MessageSession['messages'][number]

const count = z.number().nonnegative().catch(0).default(0)
const text = z.string().optional().catch(undefined)
const flag = z.boolean().optional().catch(undefined)
const times = z
  .looseObject({ created: z.number().optional(), start: z.number().optional() })
  .optional()
  .catch(undefined)

const sessionInfo = z.looseObject({ id: z.string().startsWith('ses_'), directory: text, parentID: text, time: times })

const messageInfo = z.looseObject({
  ...{ id: text, role: z.enum(['user', 'assistant']), modelID: text, time: times, summary: z.unknown().optional() },
  error: z
    .looseObject({ name: z.string().default('error') })
    .optional()
    .catch(undefined),
})

const tokens = z.looseObject({
  ...{ total: z.number().nonnegative().optional(), input: count, output: count, reasoning: count },
  cache: z.looseObject({ read: count, write: count }).catch({ read: 0, write: 0 }).default({ read: 0, write: 0 }),
})

const part = z.looseObject({
  ...{ type: z.string(), text, synthetic: flag, ignored: flag, tool: text, callID: text, reason: text, time: times },
  ...{ cost: count, tokens: tokens.optional().catch(undefined) },
  state: z
    .looseObject({
      ...{ status: z.string(), input: z.unknown().optional(), output: text, error: text },
      metadata: z.looseObject({ exit: z.number().nullish() }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
})
type Part = z.infer<typeof part>

const exported = z.looseObject({
  info: sessionInfo,
  messages: z.array(z.looseObject({ info: z.unknown(), parts: z.array(z.unknown()).default([]) })),
})

const answerParts = new Set(['step-start', 'step-finish', 'text', 'reasoning', 'tool'])
/** Parts that are no part of the conversation. */
const ownParts = new Set(['snapshot', 'patch', 'file', 'agent', 'subtask', 'retry', 'compaction'])

const opencodeExport: SessionDocumentFormat = {
  recognizes: (document) => exported.safeParse(document).success,
  read: (document, file) => readExport(exported.parse(document), file),
}

/** `storage/session/<project>/ses_*.json`, with `storage/message/<session>/` and `storage/part/<message>/`. */
const opencodeStorage: SessionDocumentFormat = {
  recognizes: (document) => sessionInfo.safeParse(document).success && 'time' in document,
  async read(document, file) {
    const info = sessionInfo.parse(document)
    const storage = path.resolve(file.file, '../../..')
    const messages = await readFolder(path.join(storage, 'message', info.id))
    const withParts = messages.map(async (message) => {
      const id = messageInfo.safeParse(message).data?.id
      return { info: message, parts: id === undefined ? [] : await readFolder(path.join(storage, 'part', id)) }
    })
    return readExport({ info, messages: await Promise.all(withParts) }, file)
  },
}

/** The JSON files of a folder by name, which is also by time; a file that can't be read is its text. Empty if there is no such folder. */
async function readFolder(folder: string): Promise<unknown[]> {
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => name.endsWith('.json')).sort()
  return Promise.all(
    files.map(async (name) => {
      const content = await readFile(path.join(folder, name), 'utf8')
      return tryParseJson(content) ?? content
    }),
  )
}

function readExport({ info, messages }: z.infer<typeof exported>, file: SessionFile): SessionOutcome {
  if (info.parentID !== undefined) return { refused: 'only the work of a sub-agent' }
  const entries = messages.flatMap((one): Entry[] => {
    const { data } = messageInfo.safeParse(one.info)
    return data === undefined ? [{ unread: one.info }] : readMessage(data, one.parts)
  })
  const start = { time: info.time?.created, role: 'tool' as const, text: '' }
  const shared = { agent: 'opencode', id: info.id, cwd: info.directory ?? null }
  return recordMessages({ ...shared, messages: [start, ...entries] }, file)
}

function readMessage({ role, modelID, time, summary, error }: z.infer<typeof messageInfo>, all: unknown[]): Entry[] {
  const isSummary = summary === true
  const entries = role === 'user' || isSummary ? all.map((one) => readSaid(one, isSummary)) : readSteps(all)
  const end = { role: 'tool' as const, text: '', time: time?.created, model: modelID ?? null }
  if (error === undefined) return [end, ...entries]
  const failure = { kind: error.name, message: JSON.stringify(toJsonValue(error)) }
  return [end, ...entries, { ...end, failure, stopReason: error.name }]
}

function readSaid(one: unknown, isSummary: boolean): Entry {
  const { data } = part.safeParse(one)
  if (data === undefined || !(answerParts.has(data.type) || ownParts.has(data.type))) return { unread: one }
  if (data.type !== 'text') return null
  const isAdded = isSummary || data.synthetic === true || data.ignored === true
  return { role: isAdded ? 'system' : 'user', text: withoutQuotes(data.text ?? ''), time: data.time?.start }
}

/** `opencode run` puts a prompt that it gets as one argument into quotes. */
function withoutQuotes(said: string): string {
  return /^"([^"]*)"$/.exec(said.trim())?.[1] ?? said
}

/** A message for each step; each further part counts as a record. */
function readSteps(all: readonly unknown[]): Entry[] {
  const steps: Part[][] = []
  const others: Entry[] = []
  for (const one of all) {
    const { data } = part.safeParse(one)
    const isAnswer = data !== undefined && answerParts.has(data.type)
    const last = steps.at(-1)
    if (data === undefined || !isAnswer) others.push(data && ownParts.has(data.type) ? null : { unread: one })
    else if (last === undefined || data.type === 'step-start') steps.push([data])
    else {
      last.push(data)
      others.push(null)
    }
  }
  return [...steps.map(toStep), ...others]
}

function toStep(parts: readonly Part[]): SessionMessage {
  const texts = (type: string) => parts.flatMap((one) => (one.type === type && one.text ? [one.text] : [])).join('\n')
  const tools = parts.filter(({ type }) => type === 'tool')
  const end = parts.find(({ type }) => type === 'step-finish')
  return {
    ...{ role: 'assistant', text: texts('text'), thinking: texts('reasoning') },
    time: parts.find(({ time }) => time?.start !== undefined)?.time?.start,
    calls: tools.map(({ callID = '', tool = '', state }) => ({ id: callID, name: tool, input: state?.input })),
    results: tools.flatMap(({ callID: id = '', state }) => {
      if (state === undefined || ['pending', 'running'].includes(state.status)) return []
      const isError = state.status === 'error' || (state.metadata?.exit ?? 0) !== 0
      return [{ id, output: state.output ?? state.error ?? '', isError }]
    }),
    ...(end && { usage: toUsage(end.tokens), costUsd: end.cost, stopReason: end.reason ?? null }),
  }
}

function toUsage(one: z.infer<typeof tokens> | undefined): Usage | null {
  if (one === undefined) return null
  const { total, input, output, reasoning, cache } = one
  return knownUsage({
    input_tokens: input,
    output_tokens:
      total === undefined ? output + reasoning : Math.max(output, total - input - cache.read - cache.write),
    cache_read_tokens: cache.read,
    cache_write_tokens: cache.write,
    ...(reasoning > 0 ? { reasoning_tokens: reasoning } : {}),
  })
}

const streamRecord = z.looseObject({
  ...{ type: z.string(), sessionID: z.string(), timestamp: z.unknown().optional() },
  part: z.looseObject({}).optional(),
  error: z.looseObject({ name: z.string().default('error') }).optional(),
})

/** The stream names the same parts with an underscore; it lacks what the person wrote. */
const opencodeStreamed = collectLines(
  ({ type, sessionID, part: one }) =>
    typeof type === 'string' && typeof sessionID === 'string' && sessionID.startsWith('ses_') && one !== undefined,
  (records) => {
    const known = records.map((one) => streamRecord.safeParse(one).data ?? null)
    const parts = records.map((one, at) => {
      const { type = '', part: own } = known[at] ?? {}
      return own === undefined ? one : { ...own, type: type.replace('tool_use', 'tool').replace('_', '-') }
    })
    const blank = { role: 'tool' as const, text: '' }
    const times = known.map((one) => ({ ...blank, time: one?.timestamp }))
    const errors = known.flatMap((one) => (one?.error ? [{ ...blank, stopReason: one.error.name }] : []))
    const steps = readSteps(parts.filter((_, at) => known[at]?.error === undefined))
    const id = known.find((one) => one !== null)?.sessionID ?? null
    return { agent: 'opencode', id, messages: [...times.slice(0, 1), ...steps, ...errors, ...times.slice(-1)] }
  },
)

export const opencodeSessions: SessionFormats = {
  lines: [opencodeStreamed],
  documents: [opencodeExport, opencodeStorage],
  refused: { 'opencode.db': 'a database of opencode; write its sessions with `opencode export SESSION > FILE.json`' },
}
