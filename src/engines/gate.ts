/** The gate before a provider's account: who wants to send a request waits there for leave; waits are no work. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { HeldBack } from '../../schemas/held_back.ts'
import type { Allowance, SlotEnd } from '../base/slot.ts'
import type { EngineOutcome } from './engine.ts'

/** Leave for one request, or for one run of an agent that sends its own. */
export interface Slot {
  heard: (allowance: Allowance) => void
  /** Gives it back; a second time is nothing. */
  end: (how: SlotEnd) => void
}

/** The gate as one run or one judge sees it. */
export interface Gate {
  /** false: nothing is limited here, and a refusal is a failure like another. */
  readonly governs: boolean
  /** After so many milliseconds without a byte a response counts as never coming. */
  readonly idleMs: number
  /** Waits for leave. `again`: it was refused before. Rejects with the abort reason. */
  enter: (signal: AbortSignal, again?: boolean) => Promise<Slot>
  /** A wait before another try. Rejects with the abort reason. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** The agent itself waits so long for a server. */
  waits: (ms: number) => void
  /** The agent met a refusal (429) and tries again by itself. */
  refused: (retryAfterMs: number | null) => void
  /** A request was sent, or bytes of an answer came that is no refusal and no error. */
  called: (what: 'sent' | 'answered') => void
  /** How often either was until now. */
  readonly calls: Readonly<{ sent: number; answered: number }>
  /** Milliseconds waited until now, and refusals met. */
  readonly waitedMs: number
  readonly refusals: number
}

/** What a gate needs of the account behind it. */
export interface Doorkeeper<S> {
  /** Leave at once, or a promise of it where it must be waited for. */
  enter: (signal: AbortSignal, again: boolean) => S | Promise<S>
  end: (slot: S, how: SlotEnd) => void
  refused: (slot: S, retryAfterMs: number | null) => void
  heard: (slot: S, allowance: Allowance) => void
}

/** Milliseconds without a byte, where nobody says otherwise. */
const defaultIdleMs = 120_000

/** A gate before this account; null: a gate that is always open. */
export function openGate<S>(keeper: Doorkeeper<S> | null, idleMs = defaultIdleMs): Gate {
  const waits = countWaits()
  const open = new Set<S>()
  const calls = { sent: 0, answered: 0 }
  let refusals = 0
  const take = (slot: S, at: Doorkeeper<S>): Slot => {
    open.add(slot)
    return {
      heard: (allowance) => at.heard(slot, allowance),
      end(how) {
        if (!open.delete(slot)) return
        if (how.as === 'refused') refusals += 1
        at.end(slot, how)
      },
    }
  }
  return {
    governs: keeper !== null,
    idleMs,
    async enter(signal, again = false) {
      signal.throwIfAborted()
      if (keeper === null) return { heard: () => {}, end: () => {} }
      const leave = keeper.enter(signal, again)
      // what was given at once was no wait, however long this process took to come to it
      return take(leave instanceof Promise ? await waits.during(leave) : leave, keeper)
    },
    async pause(ms, signal) {
      await waits.during(sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted()))
    },
    waits: (ms) => waits.add(ms),
    refused(retryAfterMs) {
      refusals += 1
      for (const slot of open) keeper?.refused(slot, retryAfterMs)
    },
    called: (what) => {
      calls[what] += 1
    },
    get calls() {
      return { ...calls }
    },
    get waitedMs() {
      return waits.total()
    },
    get refusals() {
      return refusals
    },
  }
}

/** Waits at the same time count once. */
function countWaits() {
  let [sum, open, since] = [0, 0, 0]
  return {
    async during<T>(wait: Promise<T>): Promise<T> {
      if (open === 0) since = performance.now()
      open += 1
      try {
        return await wait
      } finally {
        open -= 1
        if (open === 0) sum += performance.now() - since
      }
    },
    add: (ms: number) => {
      sum += ms
    },
    total: () => Math.round(sum + (open > 0 ? performance.now() - since : 0)),
  }
}

/** An agent's own retry of a request. `status` null: there was no answer. */
export interface OwnRetry {
  status: number | null
  waitMs: number
}

/** Tells the gate of it: its wait is no work, and a refusal cuts the account's limit. */
export function tellRetry(gate: Gate | undefined, { status, waitMs }: OwnRetry): void {
  gate?.waits(waitMs)
  if (status === 429) gate?.refused(null)
}

/** What a gate held back, as it is recorded; null: nothing. */
export function heldBackBy({ refusals, waitedMs }: Gate): HeldBack | null {
  return refusals === 0 && waitedMs === 0 ? null : { refusals, waited_ms: waitedMs }
}

/** What the end of an agent that sends its own requests says of the account. */
export function slotEndOf(outcome: EngineOutcome): SlotEnd {
  if (outcome.status === 'completed') return { as: 'served' }
  const { kind, retryAfterMs } = outcome.error
  return kind === 'rate_limited' ? { as: 'refused', retryAfterMs } : { as: 'failed' }
}
