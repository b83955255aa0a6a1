/** A session as the list of its messages: what every agent program's file can be brought to. */
import type { Usage } from '../../../../schemas/usage.ts'
import { toJsonValue } from '../../../engines/cli/json_line.ts'
import { addUsage } from '../../../engines/models/cost.ts'
import { type SessionFile, type SessionOutcome, SessionRecorder } from '../session.ts'

export interface SessionMessage {
  /** `system`: the program's own words, also where it speaks as the user. */
  role: 'user' | 'assistant' | 'tool' | 'system'
  text: string
  thinking?: string
  calls?: readonly { id: string; name: string; input: unknown }[]
  /** What a call gave the model, with the message that has the call or later. */
  results?: readonly { id: string; output: string; isError: boolean }[]
  /** ISO text, or milliseconds since 1970. */
  time?: unknown
  model?: string | null
  /** Of the request that this message answers. */
  usage?: Usage | null
  costUsd?: number | null
  stopReason?: string | null
  /** Of the program or the provider. */
  failure?: { kind: string; message: string }
}

export interface MessageSession {
  agent: string
  id: string | null
  cwd?: string | null
  model?: string | null
  /** null: a record that can't be read. */
  messages: readonly (SessionMessage | { unread: unknown } | null)[]
  offered?: readonly string[]
  /** Of the whole session; absent: the sum over its messages. */
  usage?: Usage | null
  costUsd?: number | null
}

export function recordMessages(session: MessageSession, { file, changedAt }: SessionFile): SessionOutcome {
  const recorder = new SessionRecorder(file, session.agent, changedAt)
  recorder.id = session.id
  recorder.cwd = session.cwd ?? null
  recorder.model = session.model ?? null
  if (session.offered !== undefined) recorder.offer(session.offered)
  let step = 0
  let usage: Usage | null = null
  let costUsd = 0
  const nameOf = new Map<string, string>()
  for (const [index, one] of session.messages.entries()) {
    recorder.records += 1
    if (one === null) continue
    if ('unread' in one) {
      recorder.skip(`record ${index + 1}`, JSON.stringify(one.unread) ?? '')
      continue
    }
    if (one.role === 'assistant') step += 1
    takeMessage(recorder, one, { step, nameOf })
    if (one.usage) usage = usage === null ? one.usage : addUsage(usage, one.usage)
    costUsd += one.costUsd ?? 0
  }
  if (recorder.isEmpty) return { refused: 'nothing was said in it' }
  const totals = { usage: session.usage ?? usage, costUsd: session.costUsd ?? (costUsd || null) }
  return { session: recorder.end(totals), recordIds: new Set() }
}

function takeMessage(
  recorder: SessionRecorder,
  { role, text, thinking, calls = [], results = [], ...rest }: SessionMessage,
  { step, nameOf }: { step: number; nameOf: Map<string, string> },
): void {
  recorder.setTime(rest.time)
  recorder.model = rest.model ?? recorder.model
  recorder.stopReason = rest.stopReason ?? recorder.stopReason
  if (thinking) recorder.emit({ type: 'thinking', step, text: thinking })
  if (rest.failure) recorder.emit({ type: 'error', step, ...rest.failure })
  const emitResults = () => {
    for (const { id, output, isError } of results)
      recorder.emit({ type: 'tool_result', step, id, name: nameOf.get(id) ?? '', output, is_error: isError })
  }
  if (role === 'user') {
    emitResults() // of the calls before it
    recorder.say(text)
    return
  }
  if (role === 'system' && text !== '') recorder.note('added_text', text)
  else if (role === 'assistant' && text.trim() !== '') recorder.emit({ type: 'assistant', step, text })
  for (const { id, name, input } of calls) {
    nameOf.set(id, name)
    recorder.emit({ type: 'tool_call', step, id, name, input: toJsonValue(input ?? {}) })
  }
  emitResults()
}
