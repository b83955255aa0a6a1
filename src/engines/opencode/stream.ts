/** Follows `opencode run --format json` line by line: transcript events out, what the end needs kept. */
import type { EmittedEvent } from '../engine.ts'
import { jsonValue } from '../json_value.ts'
import { followSkillReads, type SkillReads, type SkillReadsRequest } from '../skill_read.ts'
import { type OpencodeFailure, type OpencodeRecord, type OpencodeTokens, readLine, type ToolPart } from './records.ts'

/** Characters of a line that is kept as it is, and how many such lines. */
const rawLimit = 20_000
const noiseLimit = 200

/** Tells events through `emit`; the fields hold what has been seen so far. */
export class OpencodeStream {
  step = 0
  sessionId: string | null = null
  /** Why the last response ended, such as stop or tool-calls. */
  reason: string | null = null
  /** True when it has been told to end after the turns that it may have. */
  hadEnough = false
  failure: OpencodeFailure | null = null
  lastText = ''
  /** Of each response that ended. */
  readonly tokens: OpencodeTokens[] = []
  /** Dollars by opencode's own prices; 0 where it knows none. */
  cost = 0
  unreadable: string | null = null
  /** Whether one of them was JSON, nested too deep to be taken in. */
  saidTooDeep = false
  readonly denied: string[] = []

  readonly #emit: (event: EmittedEvent) => void
  readonly #skillReads: SkillReads
  readonly #maxTurns: number | null
  #noise = 0

  constructor(request: SkillReadsRequest & { maxTurns: number | null }) {
    this.#emit = request.emit
    this.#maxTurns = request.maxTurns
    this.#skillReads = followSkillReads(request)
  }

  /** Takes one line. last: it has nothing more to say; enough: it would go on, and may not. */
  take(line: string): 'last' | 'enough' | 'more' {
    const read = readLine(line)
    switch (read.kind) {
      case 'record':
        return this.#takeRecord(read.record)
      case 'other':
        this.#keep(typeof read.value.type === 'string' ? read.value.type : 'unknown', { line, value: read.value })
        return 'more'
      case 'unreadable':
        this.unreadable = line
        this.saidTooDeep ||= read.isTooDeep
        this.#keep('unreadable', { line, value: undefined })
        return 'more'
    }
  }

  #takeRecord(record: OpencodeRecord): 'last' | 'enough' | 'more' {
    if (this.sessionId === null && record.sessionID !== undefined) {
      this.sessionId = record.sessionID
      this.#emit({ type: 'system', step: 0, subtype: 'init', session_id: this.sessionId })
    }
    switch (record.type) {
      case 'step_start':
        this.step += 1
        return 'more'
      case 'text':
        this.lastText = record.part.text
        if (record.part.text !== '') this.#emit({ type: 'assistant', step: this.step, text: record.part.text })
        return 'more'
      case 'reasoning':
        if (record.part.text !== '') this.#emit({ type: 'thinking', step: this.step, text: record.part.text })
        return 'more'
      case 'tool_use':
        this.#takeTool(record.part)
        return 'more'
      case 'step_finish':
        return this.#finishStep(record.part)
      case 'error':
        this.failure = record.error
        return 'more'
    }
  }

  #finishStep(part: Extract<OpencodeRecord, { type: 'step_finish' }>['part']): 'last' | 'enough' | 'more' {
    this.reason = part.reason
    this.cost += part.cost
    if (part.tokens !== undefined) this.tokens.push(part.tokens)
    if (part.reason !== 'tool-calls') return 'last'
    this.hadEnough = this.#maxTurns !== null && this.step >= this.#maxTurns
    return this.hadEnough ? 'enough' : 'more'
  }

  /** A call is told once it has ended. */
  #takeTool({ tool, callID: id, state }: ToolPart): void {
    const input = jsonValue(state.input ?? {})
    const exit = state.metadata?.exit ?? 0
    const isError = state.status === 'error' || exit !== 0
    const output = state.output ?? state.error ?? ''
    if (state.status === 'error' && /rule which prevents|rejected permission/i.test(output)) this.denied.push(tool)
    this.#emit({ type: 'tool_call', step: this.step, id, name: tool, input })
    this.#skillReads.called({ id, name: tool, input })
    this.#emit({ type: 'tool_result', step: this.step, id, name: tool, output, is_error: isError })
    this.#skillReads.ended(id, { isError, step: this.step })
  }

  #keep(subtype: string, { line, value }: { line: string; value: unknown }): void {
    this.#noise += 1
    if (this.#noise > noiseLimit) return
    const isRaw = value !== undefined && line.length <= rawLimit
    const kept = isRaw ? { raw: jsonValue(value) } : { text: line.slice(0, rawLimit) }
    this.#emit({ type: 'system', step: this.step, subtype, ...kept })
  }
}
