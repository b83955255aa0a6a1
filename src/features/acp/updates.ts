/** Turns what an agent reports while it works into transcript events, and keeps what is needed at the end. */
import { OtherLines } from '../../engines/cli/json_line.ts'
import type { EmittedEvent, InstalledSkill } from '../../engines/engine.ts'
import { type SessionUpdate, sessionUpdate, type ToolCallRecord } from './records.ts'
import { ToolCalls } from './tool_calls.ts'

/** Characters of a message that are kept, and events of one run: what an agent sends has no other limit. */
const textLimit = 1024 * 1024
const eventLimit = 20_000

export interface UpdatesRequest {
  skills: readonly InstalledSkill[]
  skillsFolder: string
  maxTurns: number | null
  emit: (event: EmittedEvent) => void
  /** Called when the agent has taken its last allowed turn, and when it has sent more events than a run may have. */
  onEnough(reason: 'max_turns' | 'flood'): void
}

/** Emits events; the fields contain what has been seen so far. */
export class Updates {
  /** Responses of the model. The protocol does not number them: a new one begins with the first update after a tool's result. */
  step = 0
  /** Text of the turn's last response that had any. */
  lastText = ''
  stepsBefore = 0
  /** Dollars that the session has cost so far; null: not reported. */
  costUsd: number | null = null
  /** Tokens in the model's context, as last reported; null: not reported. */
  contextTokens: number | null = null

  readonly calls: ToolCalls
  readonly other: OtherLines
  readonly #emit: (event: EmittedEvent) => void
  readonly #maxTurns: number | null
  readonly #onEnough: UpdatesRequest['onEnough']
  #text: { type: 'assistant' | 'thinking'; text: string; length: number } | null = null
  #hasResults = true
  #isNewText = true
  #events = 0

  constructor(request: UpdatesRequest) {
    this.#maxTurns = request.maxTurns
    this.#onEnough = request.onEnough
    this.#emit = (event) => {
      this.#events += 1
      if (this.#events <= eventLimit) request.emit(event)
      else request.onEnough('flood')
    }
    this.other = new OtherLines(this.#emit)
    this.calls = new ToolCalls({ ...request, emit: this.#emit })
  }

  take(update: unknown): void {
    const known = sessionUpdate.safeParse(update)
    if (known.success) this.#takeKnown(known.data, update)
    else this.#keep(update)
  }

  /** A request for permission also describes a call, and may be the first to do so. */
  askedFor(call: ToolCallRecord): string {
    this.#takeCall({ ...call, status: call.status === 'failed' ? 'failed' : 'pending' })
    return this.calls.show(call.toolCallId)
  }

  /** Emits the text so far, and the calls without a result. */
  finish(): void {
    this.#flush()
    this.calls.showAll()
  }

  /** The user has a further message: what follows is the next response. */
  beginTurn(): void {
    this.finish()
    this.calls.forgetOpen()
    this.stepsBefore = this.step
    this.lastText = ''
    this.#hasResults = true
  }

  #takeKnown(update: SessionUpdate, raw: unknown): void {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#addText('assistant', update.content.text ?? `(${update.content.type})`)
        break
      case 'agent_thought_chunk':
        this.#addText('thinking', update.content.text ?? '')
        break
      case 'user_message_chunk':
        break
      case 'tool_call':
      case 'tool_call_update':
        this.#takeCall(update)
        break
      case 'usage_update':
        this.contextTokens = update.used ?? this.contextTokens
        if (update.cost?.currency === 'USD') this.costUsd = update.cost.amount
        this.#keep(raw)
        break
    }
  }

  #addText(type: 'assistant' | 'thinking', text: string): void {
    if (text === '') return
    this.#beginStep()
    if (this.#text?.type !== type) this.#flush()
    this.#text ??= { type, text: '', length: 0 }
    if (this.#text.length < textLimit) this.#text.text += text.slice(0, textLimit - this.#text.length)
    this.#text.length += text.length
  }

  #takeCall(piece: ToolCallRecord): void {
    this.#flush()
    if (!this.calls.has(piece.toolCallId)) this.#beginStep()
    if (!this.calls.take(piece, this.step)) return
    this.#hasResults = true
    if (this.#maxTurns !== null && this.step >= this.#maxTurns && this.calls.open === 0) this.#onEnough('max_turns')
  }

  #beginStep(): void {
    if (!this.#hasResults || this.calls.open > 0) return
    this.#hasResults = false
    this.#isNewText = true
    this.step += 1
  }

  #flush(): void {
    if (this.#text === null) return
    const { type, text, length } = this.#text
    this.#text = null
    const kept = length > textLimit ? `${text}\n… (only the first ${textLimit} characters are kept)` : text
    this.#emit({ type, step: this.step, text: kept })
    if (type !== 'assistant') return
    this.lastText = this.#isNewText ? kept : `${this.lastText}${kept}`.slice(0, 2 * textLimit)
    this.#isNewText = false
  }

  /** Keeps what has no meaning here. */
  keep(subtype: string, value: unknown): void {
    this.other.keep(subtype, { line: JSON.stringify(value) ?? '', value, step: this.step })
  }

  #keep(update: unknown): void {
    const kind =
      update !== null && typeof update === 'object' && 'sessionUpdate' in update ? update.sessionUpdate : null
    this.keep(typeof kind === 'string' ? kind : 'unknown', update)
  }
}
