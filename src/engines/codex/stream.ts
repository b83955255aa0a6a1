/** Follows `codex exec --json` line by line: transcript events out, what the end needs kept. */
import type { EmittedEvent } from '../engine.ts'
import { hookEvent } from '../hooks/event.ts'
import { jsonValue } from '../json_value.ts'
import { followSkillReads, type SkillReads, type SkillReadsRequest } from '../skill_read.ts'
import { type ItemEnd, toolOf } from './items.ts'
import type { CodexJournal } from './journal.ts'
import { type CodexItem, type CodexRecord, type CodexUsage, readLine } from './records.ts'

/** Characters of a line that is kept as it is, and how many such lines. */
const rawLimit = 20_000
const noiseLimit = 200

/** Tells events through `emit`; the fields hold what has been seen so far. */
export class CodexStream {
  step = 0
  threadId: string | null = null
  /** How its turn ended; null: it has not. `message`: why it failed. */
  end: { status: 'completed'; usage: CodexUsage | null } | { status: 'failed'; message: string } | null = null
  /** The last message of the agent. */
  lastMessage = ''
  /** The last error that it told of. */
  lastError: string | null = null
  /** Lines that were no JSON; the last of them. */
  unreadable: string | null = null
  /** Whether one of them was JSON, nested too deep to be taken in. */
  saidTooDeep = false
  /** Calls that were refused. */
  readonly denied: string[] = []

  readonly #emit: (event: EmittedEvent) => void
  readonly #skillReads: SkillReads
  readonly #journal: CodexJournal
  readonly #open = new Set<string>()
  readonly #told = { message: 0, reasoning: 0 }
  #toolsSinceStep = 0
  #noise = 0

  constructor(request: SkillReadsRequest & { journal: CodexJournal }) {
    this.#emit = request.emit
    this.#journal = request.journal
    this.#skillReads = followSkillReads(request)
  }

  /** Tells what hooks blocked since the last time. */
  tellBlocks(): void {
    this.#journal.catchUp()
    for (const { call, reason, step } of this.#journal.blocks.splice(0)) {
      if (call !== null) {
        const { id, name, input } = call
        this.denied.push(name)
        this.#emit({ type: 'tool_call', step, id, name, input: jsonValue(input) })
        this.#emit({ type: 'tool_result', step, id, name, output: reason, is_error: true })
      }
      const end = { event: call === null ? 'Stop' : 'PreToolUse', tool: call?.tool, exitCode: 2 }
      this.#emit({ ...hookEvent({ ...end, stdout: '', stderr: reason }), step })
    }
  }

  /** Takes one line; true when it ended the turn, and with it the run. */
  take(line: string): boolean {
    this.tellBlocks()
    const read = readLine(line)
    switch (read.kind) {
      case 'record':
        return this.#takeRecord(read.record, line)
      case 'other':
        this.#keep(typeof read.value.type === 'string' ? read.value.type : 'unknown', { line, value: read.value })
        return false
      case 'unreadable':
        this.unreadable = line
        this.saidTooDeep ||= read.isTooDeep
        this.#keep('unreadable', { line, value: undefined })
        return false
    }
  }

  #takeRecord(record: CodexRecord, line: string): boolean {
    switch (record.type) {
      case 'thread.started':
        this.threadId = record.thread_id
        this.#emit({ type: 'system', step: 0, subtype: 'init', session_id: record.thread_id })
        return false
      case 'turn.started':
      case 'item.updated':
        return false
      case 'item.started':
        this.#startTool(record.item)
        return false
      case 'item.completed':
        this.#takeItem(record.item, line)
        return false
      case 'error':
        this.lastError = record.message
        this.#keep('error', { line, value: record })
        return false
      case 'turn.completed':
        this.end = { status: 'completed', usage: record.usage ?? null }
        return true
      case 'turn.failed':
        this.end = { status: 'failed', message: record.error.message }
        return true
    }
  }

  #takeItem(item: CodexItem, line: string): void {
    if (item.type === 'agent_message' || item.type === 'reasoning') {
      const text = typeof item.text === 'string' ? item.text : ''
      this.#speak(item.type === 'reasoning' ? 'reasoning' : 'message', text)
      return
    }
    const tool = toolOf(item)
    if (tool === null) this.#keep(item.type, { line, value: item })
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
    if (kind === 'message') this.lastMessage = text
    if (text === '') return
    this.#emit(
      kind === 'message' ? { type: 'assistant', step: this.step, text } : { type: 'thinking', step: this.step, text },
    )
  }

  /** Without its session file one response's calls are told from the next one's by nothing but that all had ended. */
  #startTool(item: CodexItem): void {
    const tool = toolOf(item)
    if (tool === null) return
    const isNext = this.#toolsSinceStep > 0 && this.#open.size === 0
    this.#moveTo(this.#journal.isThere ? this.#journal.current : this.step + (isNext ? 1 : 0))
    this.#toolsSinceStep += 1
    this.#open.add(item.id)
    this.#emit({ type: 'tool_call', step: this.step, id: item.id, name: tool.name, input: jsonValue(tool.input) })
    this.#skillReads.called({ id: item.id, name: tool.name, input: tool.input })
  }

  #endTool(id: string, { name, output, isError, isDenied }: ItemEnd): void {
    this.#open.delete(id)
    if (isDenied) this.denied.push(name)
    this.#emit({ type: 'tool_result', step: this.step, id, name, output, is_error: isError })
    this.#skillReads.ended(id, { isError, step: this.step })
  }

  #moveTo(step: number): void {
    const next = Math.max(1, this.step, step)
    if (next > this.step) this.#toolsSinceStep = 0
    this.step = next
  }

  #keep(subtype: string, { line, value }: { line: string; value: unknown }): void {
    this.#noise += 1
    if (this.#noise > noiseLimit) return
    const isRaw = value !== undefined && line.length <= rawLimit
    const kept = isRaw ? { raw: jsonValue(value) } : { text: line.slice(0, rawLimit) }
    this.#emit({ type: 'system', step: this.step, subtype, ...kept })
  }
}
