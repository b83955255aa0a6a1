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
