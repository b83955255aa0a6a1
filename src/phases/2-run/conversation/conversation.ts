/** Answers an engine's `nextMessage`, and keeps the dialogue and the time that its partner took. */
import type { ConversationEnd, ConversationRecord } from '../../../../schemas/conversation.ts'
import { activeNow } from '../../../base/time/active_time.ts'
import type { EmittedEvent, EngineError, TurnAnswer } from '../../../engines/engine.ts'
import type { NextMessage, Partner } from './partner.ts'

export class Conversation {
  /** Why its partner could not go on, which makes the run a failure; null: it could. */
  failure: EngineError | null = null
  readonly #partner: Partner
  readonly #emit: (event: EmittedEvent) => void
  readonly #turns: ConversationRecord['turns'] = []
  /** The message that the agent is at work on; null: the conversation is over. */
  #message: string | null
  #ended: ConversationEnd = 'agent_ended'
  #waited = 0
  #since: number | null = null

  constructor(prompt: string, partner: Partner, emit: (event: EmittedEvent) => void) {
    this.#message = prompt
    this.#partner = partner
    this.#emit = emit
  }

  /** Milliseconds in which the agent waited for the user. */
  get waitedMs(): number {
    return Math.round(this.#waited + (this.#since === null ? 0 : activeNow() - this.#since))
  }

  /** For EngineTask.nextMessage. Rejects only when aborted. */
  async next({ text, step }: TurnAnswer, signal: AbortSignal): Promise<string | null> {
    this.#close(text, step)
    const next = await this.#ask(signal)
    if (next.kind === 'message') {
      this.#message = next.text
      this.#emit({ type: 'user', step, text: next.text })
      return next.text
    }
    if (next.kind === 'ended') this.#ended = next.why
    else this.failure = next.error
    return null
  }

  async #ask(signal: AbortSignal): Promise<NextMessage> {
    this.#since = activeNow()
    try {
      return await this.#partner.next({ turns: this.#turns }, signal)
    } finally {
      this.#waited += activeNow() - this.#since
      this.#since = null
    }
  }

  #close(answer: string, step: number): void {
    if (this.#message !== null) this.#turns.push({ prompt: this.#message, answer, step })
    this.#message = null
  }

  /** The whole dialogue. `last`: the agent's last text, if it ended in the middle of a turn. */
  record(last: TurnAnswer): ConversationRecord {
    this.#close(last.text, last.step)
    const user = this.#partner.asked()
    return { turns: this.#turns, ended: this.#ended, ...(user && { user }) }
  }
}
