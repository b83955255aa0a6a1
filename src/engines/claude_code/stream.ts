/** Follows Claude Code's stream-json line by line: transcript events out, what the end needs kept. */
import type { EmittedEvent } from '../engine.ts'
import type { OwnRetry } from '../gate.ts'
import { hookEvent } from '../hooks/event.ts'
import { jsonValue } from '../json_value.ts'
import { followSkillReads, type SkillReads, type SkillReadsRequest } from '../skill_read.ts'
import {
  type AssistantRecord,
  type Block,
  contentText,
  type HookRecord,
  type InitRecord,
  type PlainUsage,
  type ResultRecord,
  readRecord,
  type UserRecord,
} from './records.ts'

/** Characters of a line that is kept as it is, and how many such lines. */
const rawLimit = 20_000
const noiseLimit = 200

/** Tells events through `emit`; `init`, `result`, … hold what has been seen so far. */
export class ClaudeStream {
  step = 0
  init: InitRecord | null = null
  result: ResultRecord | null = null
  /** The code of the last request that failed for good, such as rate_limit; null: none did. */
  apiError: string | null = null
  /** The model that answered last, by the answer itself: the one that is asked for may be a short name. */
  model: string | null = null
  /** What each response took as its last line says, which may come before it ends; by message id. */
  readonly usageOf = new Map<string, PlainUsage>()
  /** Lines that were no JSON; the last of them. */
  unreadable: string | null = null
  /** Whether one of them was JSON, nested too deep to be taken in. */
  saidTooDeep = false

  readonly #emit: (event: EmittedEvent) => void
  readonly #onRetry: (retry: OwnRetry) => void
  readonly #skillReads: SkillReads
  readonly #stepOf = new Map<string, number>()
  readonly #nameOf = new Map<string, string>()
  #noise = 0
  /** It was started with --include-hook-events, and a hook has run. */
  #tellsHooks = false

  constructor(request: SkillReadsRequest & { onRetry?: (retry: OwnRetry) => void }) {
    this.#emit = request.emit
    this.#onRetry = request.onRetry ?? (() => {})
    this.#skillReads = followSkillReads(request)
  }

  /** Takes one line; true when it ends the run whatever else comes: the result, or a server of the suite that did not start. */
  take(line: string): boolean {
    const read = readRecord(line)
    switch (read.kind) {
      case 'init':
        this.#takeInit(read.record)
        return brokenServers(read.record).length > 0
      case 'hook':
        this.#tellsHooks = true
        this.#emit({ ...hookEventOf(read.record), step: this.step })
        return false
      case 'assistant':
        this.#takeAssistant(read.record)
        return false
      case 'user':
        this.#takeUser(read.record)
        return false
      case 'result':
        this.result = read.record
        return true
      case 'retry': {
        const { error_status: status, retry_delay_ms: waitMs } = read.record
        this.#onRetry({ status: status ?? null, waitMs })
        this.#keep(nameOf(read.record), { line, value: read.record })
        return false
      }
      case 'other':
        this.#keep(nameOf(read.record), { line, value: read.record })
        return false
      case 'unreadable':
        this.unreadable = line
        this.saidTooDeep ||= read.isTooDeep
        this.#keep('unreadable', { line, value: undefined })
        return false
    }
  }

  #takeInit(record: InitRecord): void {
    this.init ??= record
    const { model, session_id, skills, tools } = record
    const said = Object.fromEntries(Object.entries({ model, session_id, skills, tools }).filter(([, one]) => one))
    this.#emit({ type: 'system', step: this.step, subtype: 'init', ...said, mcp_servers: serverNames(record) })
  }

  #takeAssistant({ message, error }: AssistantRecord): void {
    if (error !== undefined || message.model === '<synthetic>') {
      this.apiError = error ?? 'unknown'
      this.#emit({ type: 'system', step: this.step, subtype: 'api_error', text: contentText(message.content) })
      return
    }
    this.apiError = null
    const step = this.#stepFor(message.id)
    this.model = message.model ?? this.model
    if (message.usage !== undefined) this.usageOf.set(message.id ?? `step ${step}`, message.usage)
    for (const block of message.content) this.#takeBlock(block, step)
  }

  /** Lines with the same message id are one response. */
  #stepFor(id: string | undefined): number {
    const known = id === undefined ? undefined : this.#stepOf.get(id)
    if (known !== undefined) return known
    this.step += 1
    if (id !== undefined) this.#stepOf.set(id, this.step)
    return this.step
  }

  #takeBlock(block: Block, step: number): void {
    if (block.type === 'text' && typeof block.text === 'string') {
      this.#emit({ type: 'assistant', step, text: block.text })
    } else if (block.type === 'thinking' && typeof block.thinking === 'string') {
      if (block.thinking !== '') this.#emit({ type: 'thinking', step, text: block.thinking })
    } else if (block.type === 'tool_use' && typeof block.id === 'string' && typeof block.name === 'string') {
      const { id, name, input } = block
      this.#nameOf.set(id, name)
      this.#skillReads.called({ id, name, input })
      this.#emit({ type: 'tool_call', step, id, name, input: jsonValue(input) })
    }
  }

  #takeUser({ message }: UserRecord): void {
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
    for (const block of blocks) {
      if (block.type === 'tool_result' && typeof block.tool_use_id === 'string') {
        const id = block.tool_use_id
        const isError = block.is_error === true
        const end = { id, name: this.#nameOf.get(id) ?? '', output: contentText(block.content), is_error: isError }
        if (isError && !this.#tellsHooks) this.#tellBlock(end.output)
        this.#emit({ type: 'tool_result', step: this.step, ...end })
        this.#skillReads.ended(id, { isError, step: this.step })
      } else {
        // the user said nothing after the prompt: Claude Code adds these, such as a skill's body
        this.#emit({ type: 'system', step: this.step, subtype: 'added_text', text: contentText([block]) })
      }
    }
  }

  /** A hook that the suite does not know of (the skill's own, or an input file's) shows only by what it says. */
  #tellBlock(output: string): void {
    const [, tool, stderr = ''] = /^PreToolUse:(\S+) hook error: ([\s\S]*)/.exec(output) ?? []
    if (tool === undefined) return
    const end = { event: 'PreToolUse', tool, exitCode: 2, stdout: '', stderr }
    this.#emit({ ...hookEvent(end), step: this.step })
  }

  #keep(subtype: string, { line, value }: { line: string; value: unknown }): void {
    if (subtype === 'system/hook_started') return // its end is told
    this.#noise += 1
    if (this.#noise > noiseLimit) return
    const isRaw = value !== undefined && line.length <= rawLimit
    const kept = isRaw ? { raw: jsonValue(value) } : { text: line.slice(0, rawLimit) }
    this.#emit({ type: 'system', step: this.step, subtype, ...kept })
  }
}

function hookEventOf({ hook_event: event, hook_name, exit_code, stdout, stderr }: HookRecord) {
  const tool = hook_name.startsWith(`${event}:`) ? hook_name.slice(event.length + 1) : undefined
  return hookEvent({ event, tool, exitCode: exit_code ?? null, stdout, stderr })
}

/** Servers that were asked for and did not start. */
export function brokenServers(init: InitRecord | null): string[] {
  const servers = init?.mcp_servers ?? []
  return servers.flatMap((one) => (typeof one !== 'string' && one.status === 'failed' ? [one.name] : []))
}

export function serverNames({ mcp_servers = [] }: InitRecord): string[] {
  return mcp_servers.map((server) => (typeof server === 'string' ? server : server.name))
}

function nameOf(record: Record<string, unknown>): string {
  return [record.type, record.subtype].filter((part) => typeof part === 'string').join('/') || 'unknown'
}
