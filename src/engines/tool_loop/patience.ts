/** Asks the model again where the agent is already at work: a restart of the whole run would cost more. */
import { setTimeout as sleep } from 'node:timers/promises'
import { waitBefore } from '../../base/backoff.ts'
import type { Asked } from './session.ts'

export interface Patience {
  /** How often one request is sent at most. */
  tries: number
  signal: AbortSignal
  /** Told of each wait before another try, in milliseconds. */
  onWait: (ms: number) => void
  random?: () => number
}

/** The longest wait before another try; a server that asks for more gets its failure told to the caller. */
const longestWaitMs = 60_000
const backoff = { baseMs: 1000, capMs: longestWaitMs / 2 }

/** Repeats the request after a failure that may pass. Rejects with the abort reason when aborted, and never otherwise. */
export async function askPatiently(ask: () => Promise<Asked>, patience: Patience): Promise<Asked> {
  for (let number = 1; ; number += 1) {
    const asked = await ask()
    if (asked.ok || !asked.error.retryable || number >= patience.tries) return asked
    const wait = waitBefore(number, asked.error.retryAfterMs, { ...backoff, random: patience.random })
    if (wait > longestWaitMs) return asked
    patience.onWait(wait)
    await sleep(wait, undefined, { signal: patience.signal }).catch(() => patience.signal.throwIfAborted())
  }
}
