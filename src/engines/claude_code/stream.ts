/** Follows Claude Code's stream-json line by line: emits transcript events, and keeps what is needed at the end. */
import type { SkillReadsRequest } from '../answers/skill_read.ts'
import { contentText, nameRecord } from '../cli/json_line.ts'
import { type AfterLine, RecordStream } from '../cli/record_stream.ts'
import { blockEvent, hookEvent } from '../hooks/hook_outcome.ts'
import type { OwnRetry } from '../limits/rate_limiter.ts'
import {
  type AssistantRecord,
  type ClaudeBlock,
  type ClaudeRecord,
  claudeRecord,
  type HookRecord,
  type InitRecord,
  type PlainUsage,
  type ResultRecord,
  type RetryRecord,
  rateLimit,
  type UserRecord,
} from './stream_records.ts'

export class ClaudeStream extends RecordStream<ClaudeRecord> {
  init: InitRecord | null = null
  result: ResultRecord | null = null
  /** The code of the last request that failed for good, such as rate_limit; null: none did. */
  apiError: string | null = null
  /** The failed request that it is sending again; null: the last one was answered. */
  retry: RetryRecord | null = null
  /** The model that answered last in the main conversation, from the answer itself: the requested model may be a short name. */
  model: string | null = null
  /** Usage of each response by message id, from its last line, which may come before the response ends. */
  readonly usageOf = new Map<string, PlainUsage>()

  readonly #onRetry: (retry: OwnRetry) => void
  readonly #stepOf = new Map<string, number>()
  readonly #nameOf = new Map<string, string>()
  #limitEnds: number | null = null
  /** Whether it reports hooks: it was started with --include-hook-events, and a hook has run. */
  #tellsHooks = false

  constructor(request: SkillReadsRequest & { onRetry?: (retry: OwnRetry) => void }) {
    super(claudeRecord, request)
    this.#onRetry = request.onRetry ?? (() => {})
  }

  /** Milliseconds until the subscription's limit ends; null: it reported none, or that time has passed. */
  limitLeftMs(now = Date.now()): number | null {
    return this.#limitEnds === null || this.#limitEnds <= now ? null : this.#limitEnds - now
  }

  /** The result, and a server of the suite that did not start, end the run whatever follows. */
  protected override takeRecord(record: ClaudeRecord, line: string): AfterLine {
    switch (record.type) {
      case 'system':
        return this.#takeSystem(record, line)
      case 'assistant':
        this.#takeAssistant(record)
        return 'more'
      case 'user':
        this.#takeUser(record)
        return 'more'
      case 'result':
        this.result = record
        return 'last'
    }
  }

  /** The end of a hook is emitted. */
  protected override takeOther(other: Record<string, unknown>): boolean {
    this.#takeLimit(other)
    return nameRecord(other) !== 'system/hook_started'
  }

  #takeSystem(record: Extract<ClaudeRecord, { type: 'system' }>, line: string): AfterLine {
    switch (record.subtype) {
      case 'init':
        this.#takeInit(record)
        return brokenServers(record).length > 0 ? 'last' : 'more'
      case 'hook_response':
        this.#tellsHooks = true
        this.emit({ ...toHookEvent(record), step: this.step })
        return 'more'
      case 'api_retry': {
        this.retry = record
        const { error_status: status, retry_delay_ms: waitMs } = record
        this.#onRetry({ status: status ?? null, waitMs })
        this.others.keep(nameRecord(record), { line, value: record, step: this.step })
        return 'more'
      }
    }
  }

  #takeLimit(record: Record<string, unknown>): void {
    const limit = rateLimit.safeParse(record)
    if (limit.success) this.#limitEnds = limit.data.rate_limit_info.resetsAt * 1000
  }

  #takeInit(record: InitRecord): void {
    this.init ??= record
    const { model, session_id, skills, tools } = record
    const said = Object.fromEntries(Object.entries({ model, session_id, skills, tools }).filter(([, one]) => one))
    this.emit({ type: 'system', step: this.step, subtype: 'init', ...said, mcp_servers: serverNames(record) })
  }

  #takeAssistant({ message, error, parent_tool_use_id: parent }: AssistantRecord): void {
    if (error !== undefined || message.model === '<synthetic>') {
      this.apiError = error ?? 'unknown'
      this.emit({ type: 'system', step: this.step, subtype: 'api_error', text: contentText(message.content) })
      return
    }
    this.apiError = null
    this.retry = null
    const step = this.#stepFor(message.id)
    if (parent == null) this.model = message.model ?? this.model
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

  #takeBlock(block: ClaudeBlock, step: number): void {
    if (block.type === 'text' && typeof block.text === 'string') {
      this.lastText = block.text
      this.emit({ type: 'assistant', step, text: block.text })
    } else if (block.type === 'thinking' && typeof block.thinking === 'string') {
      if (block.thinking !== '') this.emit({ type: 'thinking', step, text: block.thinking })
    } else if (block.type === 'tool_use' && typeof block.id === 'string' && typeof block.name === 'string') {
      const { id, name, input } = block
      this.#nameOf.set(id, name)
      this.emit({ type: 'tool_call', step, id, name, input })
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
        this.emit({ type: 'tool_result', step: this.step, ...end })
      } else {
        // after the prompt there is no message of a user: Claude Code adds these texts, such as a skill's body
        this.emit({ type: 'system', step: this.step, subtype: 'added_text', text: contentText([block]) })
      }
    }
  }

  /** A hook that is not the suite's (the skill's own, or one in an input file) is visible only by its message. */
  #tellBlock(output: string): void {
    const [, tool, reason = ''] = /^PreToolUse:(\S+) hook error: ([\s\S]*)/.exec(output) ?? []
    if (tool === undefined) return
    this.emit({ ...blockEvent({ event: 'PreToolUse', tool, reason }), step: this.step })
  }
}

function toHookEvent({ hook_event: event, hook_name, exit_code, stdout, stderr }: HookRecord) {
  const tool = hook_name.startsWith(`${event}:`) ? hook_name.slice(event.length + 1) : undefined
  return hookEvent({ event, tool, exitCode: exit_code ?? null, stdout, stderr })
}

/** MCP servers that were requested and did not start. */
export function brokenServers(init: InitRecord | null): string[] {
  const servers = init?.mcp_servers ?? []
  return servers.flatMap((one) => (typeof one !== 'string' && one.status === 'failed' ? [one.name] : []))
}

/** The names of all MCP servers that Claude Code lists at its start, broken ones too. */
export function serverNames({ mcp_servers = [] }: InitRecord): string[] {
  return mcp_servers.map((server) => (typeof server === 'string' ? server : server.name))
}
