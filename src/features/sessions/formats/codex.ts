/** Codex's session files: `~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl`, as version 0.169 writes them. */
import * as z from 'zod'
import { tryParseJson } from '../../../base/json/json.ts'
import { contentText, parseJsonLine, toJsonValue } from '../../../engines/cli/json_line.ts'
import { toCodexUsage } from '../../../engines/codex/report.ts'
import { addCodexTokens, type CodexTokens, codexEntry, listCodexSkills } from '../../../engines/codex/session_file.ts'
import { codexUsage } from '../../../engines/codex/stream_records.ts'
import type { LineReader, SessionFile, SessionLineFormat, SessionOutcome } from '../session.ts'
import { SessionRecorder } from '../session.ts'

const text = z.string().optional().catch(undefined)

const envelope = z.looseObject({
  type: z.string(),
  timestamp: z.unknown().optional(),
  payload: z.looseObject({ type: text, id: text, cwd: text, message: text, session_id: text }),
})

type CodexSessionEntry = z.infer<typeof envelope>
type CodexPayload = CodexSessionEntry['payload']

/** Lines whose content is no part of the conversation, or is also in other lines. */
const ownLines = new Set(['world_state', 'session_state', 'inter_agent_communication_metadata'])

const itemKinds = z.looseObject({
  internal_chat_message_metadata_passthrough: z.looseObject({ content_item_kinds: z.array(z.string()) }),
})

/** How texts begin that Codex sends in the person's place. */
const addedStart =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|hook_prompt|skill|subagent_notification|user_shell_command|INSTRUCTIONS|permissions instructions|collaboration_mode|apps_instructions|skills_instructions|plugins_instructions|recommended_plugins|model_switch)\b|# AGENTS\.md instructions)/

export const codexSessions: SessionLineFormat = {
  recognizes: (record) => envelope.safeParse(record).success && isLineType(record.type),
  open: (file) => new CodexReader(file),
}

function isLineType(type: unknown): boolean {
  const types = ['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted', 'token_usage_record']
  return typeof type === 'string' && types.includes(type)
}

class CodexReader implements LineReader {
  readonly #recorder: SessionRecorder
  readonly #nameOf = new Map<string, string>()
  #tokens: CodexTokens | null = null
  /** Totals that older versions write in place of a record for each response. */
  #totals: z.infer<typeof codexUsage> | null = null
  #step = 0
  #isNextStep = true
  #isSubAgent = false

  constructor({ file, changedAt }: SessionFile) {
    this.#recorder = new SessionRecorder(file, 'codex', changedAt)
  }

  take(line: string, number: number): void {
    this.#recorder.records += 1
    const read = parseJsonLine(line)
    const entry = read.kind === 'object' ? envelope.safeParse(read.value) : null
    if (!entry?.success || !this.#takeEntry(entry.data)) this.#recorder.skip(`line ${number}`, line)
  }

  /** Whether the line could be read. */
  #takeEntry(entry: CodexSessionEntry): boolean {
    const { type, payload } = entry
    this.#recorder.setTime(entry.timestamp)
    if (type === 'session_meta') return this.#takeMeta(payload)
    if (type === 'event_msg') return this.#takeMessage(payload)
    if (type === 'compacted') {
      this.#recorder.note('compacted', payload.message ?? '')
      return true
    }
    const known = codexEntry.safeParse(entry)
    if (!known.success) return ownLines.has(type)
    switch (known.data.type) {
      case 'turn_context':
        this.#recorder.model = known.data.payload.model ?? this.#recorder.model
        this.#recorder.cwd ??= payload.cwd ?? null
        return true
      case 'token_usage_record':
        this.#tokens = addCodexTokens(this.#tokens, known.data.payload.usage)
        return true
      case 'response_item':
        return this.#takeItem(payload)
      case 'session_meta':
        return true
    }
  }

  /** A forked session begins with its own record, and then repeats the one of the session that it continues. */
  #takeMeta({ id, session_id, cwd, source }: CodexPayload): boolean {
    if (this.#recorder.id !== null) return true
    this.#recorder.id = id ?? session_id ?? null
    this.#recorder.cwd = cwd ?? null
    this.#isSubAgent = typeof source === 'object' && source !== null && 'subagent' in source
    return true
  }

  /** Events repeat what the items contain; errors and interruptions are only here. */
  #takeMessage({ type, message, ...payload }: CodexPayload): boolean {
    if (type === 'token_count') {
      const info = z.looseObject({ total_token_usage: codexUsage }).safeParse(payload.info)
      if (info.success) this.#totals = info.data.total_token_usage
    } else if (type === 'error') this.#emitError(message ?? 'unknown')
    else if (type === 'turn_aborted') {
      this.#recorder.stopReason = 'interrupted'
      this.#recorder.note('turn_aborted', typeof payload.reason === 'string' ? payload.reason : '')
    } else if (type === 'task_complete') {
      const error = z.looseObject({ message: z.string() }).safeParse(payload.error)
      this.#recorder.stopReason = error.success ? 'error' : 'end_turn'
      if (error.success) this.#emitError(error.data.message)
    }
    return type !== undefined
  }

  #emitError(message: string): void {
    this.#recorder.emit({ type: 'error', step: this.#step, kind: 'agent', message })
  }

  #takeItem(payload: CodexPayload): boolean {
    const { type = '' } = payload
    if (type === 'message') return this.#takeSpoken(payload)
    if (type === 'reasoning') {
      const thought = contentText(payload.summary)
      this.#beginStep()
      if (thought !== '') this.#recorder.emit({ type: 'thinking', step: this.#step, text: thought })
      return true
    }
    const id = [payload.call_id, payload.id].find((one) => typeof one === 'string')
    if (type.endsWith('_output') && typeof id === 'string') return this.#takeOutput(id, payload)
    if (type.endsWith('_call') && typeof id === 'string') return this.#takeCall(id, payload)
    return ['compaction', 'compaction_summary', 'compaction_trigger', 'ghost_snapshot', 'additional_tools'].includes(
      type,
    )
  }

  #takeSpoken(payload: CodexPayload): boolean {
    const spoken = contentText(payload.content)
    if (payload.role === 'assistant') {
      this.#beginStep()
      if (spoken !== '') this.#recorder.emit({ type: 'assistant', step: this.#step, text: spoken })
      return true
    }
    const offered = payload.role === 'user' ? null : listCodexSkills(spoken)
    if (offered !== null) this.#recorder.offer(offered)
    this.#isNextStep = true
    const skill = /^\s*<skill>\s*<name>([^<]+)<\/name>/.exec(spoken)?.[1]
    if (payload.role === 'user' && isWritten(payload, spoken)) this.#recorder.say(spoken)
    else this.#recorder.note('added_text', spoken)
    if (skill !== undefined) this.#recorder.readSkill(skill, 'mention')
    return true
  }

  #takeCall(id: string, { type, name, arguments: given, input, action, query }: CodexPayload): boolean {
    this.#beginStep()
    const tool = typeof name === 'string' ? name : String(type).replace(/_call$/, '')
    this.#nameOf.set(id, tool)
    const value = typeof given === 'string' ? (tryParseJson(given) ?? given) : (given ?? input ?? action ?? query ?? {})
    this.#recorder.emit({ type: 'tool_call', step: this.#step, id, name: tool, input: toJsonValue(value) })
    return true
  }

  #takeOutput(id: string, { output }: CodexPayload): boolean {
    this.#isNextStep = true
    const { shown, isError } = readOutput(output)
    const name = this.#nameOf.get(id) ?? ''
    this.#recorder.emit({ type: 'tool_result', step: this.#step, id, name, output: shown, is_error: isError })
    return true
  }

  /** What comes after the results of tools is a new response. */
  #beginStep(): void {
    if (this.#isNextStep) this.#step += 1
    this.#isNextStep = false
  }

  end(): SessionOutcome {
    if (this.#isSubAgent) return { refused: 'only the work of a sub-agent' }
    if (this.#recorder.isEmpty) return { refused: 'nothing was said in it' }
    const usage = toCodexUsage(this.#tokens ?? this.#totals)
    return { session: this.#recorder.end({ usage, costUsd: null }), recordIds: new Set() }
  }
}

/** Whether the person wrote it; newer versions say so. */
function isWritten(payload: CodexPayload, spoken: string): boolean {
  const kinds = itemKinds.safeParse(payload)
  if (kinds.success) {
    const { content_item_kinds: all } = kinds.data.internal_chat_message_metadata_passthrough
    if (all.length > 0 && !all.every((kind) => kind === 'unknown')) return all.some((kind) => kind.startsWith('user.'))
  }
  return !addedStart.test(spoken)
}

const outputObject = z.looseObject({
  output: z.string(),
  metadata: z.looseObject({ exit_code: z.number().optional() }).optional(),
})

/** Codex writes a command's exit code in the text of its output, older versions in a JSON text. */
function readOutput(output: unknown): { shown: string; isError: boolean } {
  const whole = typeof output === 'string' ? output : contentText(output)
  const old = outputObject.safeParse(tryParseJson(whole))
  if (old.success) return { shown: old.data.output, isError: (old.data.metadata?.exit_code ?? 0) !== 0 }
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(whole.slice(0, 400))?.[1] ?? '0'
  return { shown: whole, isError: code !== '0' || /^(?:aborted by user|[\w ]+ failed|[\w ]+ blocked by)/.test(whole) }
}
