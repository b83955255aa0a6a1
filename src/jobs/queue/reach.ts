/** The first contact with a queue server: one that refuses us is told at once, one that is away is waited for. */
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, IncompleteError, messageOf, UserError } from '../../base/error.ts'
import { isOutage } from './outage.ts'
import { fixOfAway, refusalOf, wordsOf } from './refusal.ts'

/** With a server that can't be reached at the start. */
export interface Patience {
  /** 0: it is tried once. */
  waitMs: number
  /** Told once, when the waiting begins: what was heard. */
  waits: (why: string) => void
  /** Aborted: nobody waits any more. */
  signal: AbortSignal
}

export const impatient: Patience = { waitMs: 0, waits: () => {}, signal: new AbortController().signal }

/** A connection that does not connect again by itself. */
export interface Contact {
  waitUntilReady(): Promise<unknown>
  close(): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** Of one try. */
export const oneTryMs = 10_000
const pauseMs = 500
/** What a server that is there needs for its first answer; nobody who waits for less gives it up sooner. */
const leastTryMs = 1000

/**
 * Throws UserError where the server, its certificate or the look-up of its name refuses us, IncompleteError where nobody answers for
 * that long, the abort reason when nobody waits any more.
 */
export async function untilReached(place: string, open: () => Contact, patience: Patience): Promise<void> {
  const until = performance.now() + patience.waitMs
  for (let tries = 0; ; tries += 1) {
    const left = Math.max(until - performance.now(), leastTryMs)
    const tryMs = patience.waitMs === 0 ? oneTryMs : Math.min(left, oneTryMs)
    const problem = await problemOf(open, tryMs, patience.signal)
    if (problem === null) return
    patience.signal.throwIfAborted()
    if (!isAway(problem)) {
      const { said, fix } = refusalOf(problem)
      throw new UserError(`--queue ${place}: ${said}`, fix)
    }
    if (performance.now() + pauseMs > until) throw away(place, wordsOf(problem), patience.waitMs)
    if (tries === 0) patience.waits(wordsOf(problem))
    await sleep(pauseMs, undefined, { signal: patience.signal }).catch(() => {})
    patience.signal.throwIfAborted()
  }
}

function away(place: string, said: string, waitMs: number): IncompleteError {
  const how = waitMs === 0 ? '' : ` (waited for ${Math.round(waitMs / 1000)} s: --queue-wait)`
  return new IncompleteError(`--queue ${place}: ${said}${how}`, fixOfAway(place))
}

/** A name that nobody knows does not come by waiting; a look-up that failed (EAI_AGAIN) may. */
function isAway(error: unknown): boolean {
  return (isOutage(error) || error instanceof NoAnswer) && codeOf(error) !== 'ENOTFOUND'
}

class NoAnswer extends Error {}

/** One try; null: it has answered, and takes us. */
async function problemOf(open: () => Contact, ms: number, signal: AbortSignal): Promise<unknown> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: AbortSignal.any([timer.signal, signal]) }).then(
    () => new NoAnswer(`no answer within ${Math.round(ms / 1000)} s`),
    () => new NoAnswer('nobody waits'),
  )
  const heard: Error[] = []
  const contact = open()
  contact.on('error', (error) => void heard.push(error))
  try {
    const ready = contact.waitUntilReady().then(
      () => heard[0] ?? null, // refused in part, such as its database: what is asked next would go elsewhere
      (error: unknown) => heard[0] ?? closedAs(error),
    )
    return await Promise.race([ready, late])
  } finally {
    timer.abort()
    void Promise.resolve(contact.close()).catch(() => {})
  }
}

/** ioredis has no code for a connection that the other side ended without an answer. */
function closedAs(error: unknown): unknown {
  return /^Connection is closed/.test(messageOf(error))
    ? new NoAnswer('it closed the connection without an answer')
    : error
}
