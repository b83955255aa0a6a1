/** What every flow gets besides its request: where to emit events, when to stop, the user's environment, the clock. */
import type { FlowEvent } from '../../schemas/flow_event.ts'
import type { UserPrices } from '../../schemas/prices.ts'
import type { WatchedWork } from '../base/rate_limit_slot.ts'

/** A piece of work, which ends when it is disposed. */
export interface TrackedWork extends WatchedWork, Disposable {}

/** Watches how long a command waits for providers. */
export interface Waits {
  /** A run or judge begins; disposing ends it. `isIdle`: it counts only from its first request on. */
  begin: (isIdle?: boolean) => TrackedWork
  /** Aborted with a WaitOverError when the wait limit is reached. */
  signal: AbortSignal
}

export interface FlowContext {
  emit: (event: FlowEvent) => void
  /** The user's environment; flows never read process.env themselves. */
  env: Readonly<Record<string, string | undefined>>
  /** Aborted: start nothing new, let running work end. */
  drain: AbortSignal
  /** Aborted: end at once. */
  signal: AbortSignal
  now: () => Date
  /** Asks the user a yes-or-no question before anything starts; absent: there is no user to ask. */
  confirm?: (question: string) => Promise<boolean>
  /** Watches the waits for providers; absent: waits are unlimited. */
  waits?: Waits
  /** The user's own prices; absent: none. */
  prices?: UserPrices | undefined
}
