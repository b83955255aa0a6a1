/** What every flow gets besides its request: where it speaks, when it must end, the user's environment, the clock. */
import type { FlowEvent } from '../../schemas/flow_event.ts'

export interface FlowContext {
  emit: (event: FlowEvent) => void
  /** The user's environment; flows never read process.env themselves. */
  env: Readonly<Record<string, string | undefined>>
  /** Aborted: start nothing new, let what runs end. */
  drain: AbortSignal
  /** Aborted: end at once. */
  signal: AbortSignal
  now: () => Date
}

/** The work could not be done for a reason outside the user's input (a server that can't be reached): exit 3. */
export class IncompleteError extends Error {
  override readonly name = 'IncompleteError'
  readonly fix: string | null

  constructor(message: string, fix: string | null = null) {
    super(message)
    this.fix = fix
  }
}
