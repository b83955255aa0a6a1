/** Follows `codex exec --json` line by line: emits transcript events, and keeps what is needed at the end. */
import type { SkillReadsRequest } from '../answers/skill_read.ts'
import { type AfterLine, RecordStream } from '../cli/record_stream.ts'
import { blockEvent, hookEvent } from '../hooks/hook_outcome.ts'
import { type CodexJournal, questionTool } from './session_file.ts'
import { type CodexItem, type CodexRecord, type CodexUsage, codexRecord } from './stream_records.ts'

export class CodexStream extends RecordStream<CodexRecord> {
  threadId: string | null = null
  /** How its turn ended; null: it has not ended. `message`: why it failed. */
  end: { status: 'completed'; usage: CodexUsage | null } | { status: 'failed'; message: string } | null = null
  /** The last error that it reported. */
  lastError: string | null = null
  /** The error after which it sends a request again; null: the last one was answered. */
  retried: string | null = null
  /** Calls that were refused. */
  readonly denied: string[] = []

  readonly #journal: CodexJournal
  readonly #open = new Set<string>()
  readonly #told = { message: 0, reasoning: 0 }
  #toolsSinceStep = 0

  constructor(request: SkillReadsRequest & { journal: CodexJournal }) {
    super(codexRecord, request)
    this.#journal = request.journal
  }

  /** Emits what only the session file shows since the last call: questions to the user and what hooks did. */
  tellBlocks(): void {
    this.#journal.catchUp()
    for (const { id, input, output, step } of this.#journal.questions.splice(0)) {
      this.emit({ type: 'tool_call', step, id, name: questionTool, input })
      this.emit({ type: 'tool_result', step, id, name: questionTool, output, is_error: false })
    }
    for (const { call, reason, step } of this.#journal.blocks.splice(0)) {
      if (call !== null) {
        const { id, name, input } = call
        this.denied.push(name)
        this.emit({ type: 'tool_call', step, id, name, input })
        this.emit({ type: 'tool_result', step, id, name, output: reason, is_error: true })
      }
      const event = call === null ? 'Stop' : 'PreToolUse'
      this.emit({ ...blockEvent({ event, tool: call?.tool, reason }), step })
    }
    for (const end of this.#journal.hooks.splice(0)) {
      const event = hookEvent(end)
      if (event.outcome !== 'blocked') this.emit({ ...event, step: this.step })
    }
  }

  override take(line: string): AfterLine {
    this.tellBlocks()
    return super.take(line)
  }

  protected override takeRecord(record: CodexRecord, line: string): AfterLine {
    switch (record.type) {
      case 'thread.started':
        this.threadId = record.thread_id
        this.emit({ type: 'system', step: 0, subtype: 'init', session_id: record.thread_id })
        return 'more'
      case 'turn.started':
      case 'item.updated':
        return 'more'
      case 'item.started':
        this.#startTool(record.item)
        return 'more'
      case 'item.completed':
        this.#takeItem(record.item, line)
        return 'more'
      case 'error':
        this.lastError = record.message
        this.retried = /^Reconnecting\.{3} \d+\/\d+ \((.*)\)$/s.exec(record.message)?.[1] ?? null
        this.others.keep('error', { line, value: record, step: this.step })
        return 'more'
      case 'turn.completed':
        this.end = { status: 'completed', usage: record.usage ?? null }
        return 'last'
      case 'turn.failed':
        this.end = { status: 'failed', message: record.error.message }
        return 'last'
    }
  }

  #takeItem(item: CodexItem, line: string): void {
    this.retried = null
    if (item.type === 'agent_message' || item.type === 'reasoning') {
      const text = typeof item.text === 'string' ? item.text : ''
      this.#speak(item.type === 'reasoning' ? 'reasoning' : 'message', text)
      return
    }
    const tool = readToolItem(item)
    if (tool === null) this.others.keep(item.type, { line, value: item, step: this.step })
    else {
      if (!this.#open.has(item.id)) this.#startTool(item)
      this.#endTool(item.id, tool)
    }
  }

  #speak(kind: 'message' | 'reasoning', text: string): void {
    const nth = this.#told[kind]
    this.#told[kind] += 1
    const isNext = this.#toolsSinceStep > 0 && this.#open.size === 0
    this.#moveTo(this.#journal.stepOf[kind][nth] ?? this.step + (isNext ? 1 : 0))
    if (kind === 'message') this.lastText = text
    if (text === '') return
    this.emit(
      kind === 'message' ? { type: 'assistant', step: this.step, text } : { type: 'thinking', step: this.step, text },
    )
  }

  /** Without the session file, a call counts as the next response's if all calls before it have ended: nothing else tells them apart. */
  #startTool(item: CodexItem): void {
    const tool = readToolItem(item)
    if (tool === null) return
    const isNext = this.#toolsSinceStep > 0 && this.#open.size === 0
    this.#moveTo(this.#journal.isThere ? this.#journal.current : this.step + (isNext ? 1 : 0))
    this.#toolsSinceStep += 1
    this.#open.add(item.id)
    this.emit({ type: 'tool_call', step: this.step, id: item.id, name: tool.name, input: tool.input })
  }

  #endTool(id: string, { name, output, isError, isDenied }: ItemEnd): void {
    this.#open.delete(id)
    if (isDenied) this.denied.push(name)
    this.emit({ type: 'tool_result', step: this.step, id, name, output, is_error: isError })
  }

  #moveTo(step: number): void {
    const next = Math.max(1, this.step, step)
    if (next > this.step) this.#toolsSinceStep = 0
    this.step = next
  }
}

interface ItemEnd {
  /** The name that the model uses. */
  name: string
  input: unknown
  output: string
  isError: boolean
  /** True if the call was not allowed, and so not performed. */
  isDenied: boolean
}

type Reader = (item: CodexItem) => Omit<ItemEnd, 'isDenied' | 'isError'>

/** By type of item; an item of another type is not a tool call. */
const readers: Readonly<Record<string, Reader>> = {
  command_execution: (item) => ({
    name: 'exec_command',
    input: { command: shellCommand(itemText(item.command)) },
    output: itemText(item.aggregated_output),
  }),
  file_change: (item) => ({ name: 'apply_patch', input: { changes: item.changes }, output: itemText(item.status) }),
  mcp_tool_call: (item) => ({
    name: `mcp__${itemText(item.server)}__${itemText(item.tool)}`,
    input: item.arguments ?? {},
    output: resultText(item.error ?? item.result),
  }),
  web_search: (item) => ({ name: 'web_search', input: { query: item.query }, output: '' }),
  collab_tool_call: (item) => ({
    name: itemText(item.tool) || 'sub_agent',
    input: { prompt: item.prompt ?? null },
    output: resultText(item.agents_states ?? item.status),
  }),
}

/** The tool call that an item describes, begun or ended; null: it is not a tool call. */
function readToolItem(item: CodexItem): ItemEnd | null {
  const reader = Object.hasOwn(readers, item.type) ? readers[item.type] : undefined
  if (reader === undefined) return null
  const isDenied = item.status === 'declined'
  return { ...reader(item), isDenied, isError: isDenied || item.status === 'failed' }
}

function itemText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function resultText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The command that the shell got: `/bin/bash -lc 'echo hi'` becomes `echo hi`; any other line is unchanged. */
function shellCommand(line: string): string {
  const script = /^\S*sh -l?c ([\s\S]+)$/.exec(line)?.[1]
  return script === undefined ? line : (unquoteWord(script) ?? line)
}

/** One word as a shell reads it; null if the text is more than one word, or a quote never closes. */
function unquoteWord(text: string): string | null {
  let word = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (/\s/.test(character)) return null
    if (character === "'") {
      const end = text.indexOf("'", at + 1)
      if (end < 0) return null
      word += text.slice(at + 1, end)
      at = end
    } else if (character === '"') {
      const inside = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(text.slice(at))
      if (inside === null) return null
      word += (inside[1] ?? '').replace(/\\([$`"\\])/g, '$1')
      at += inside[0].length - 1
    } else if (character === '\\') {
      word += text[at + 1] ?? ''
      at += 1
    } else word += character
  }
  return word
}
